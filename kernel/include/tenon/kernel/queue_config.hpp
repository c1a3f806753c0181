// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// queues.yaml as values: what the parser in kernel/config makes and the kernel and its journal take.
// Every quantity is final (vcore in milli-cores, memory in bytes) and every name in its final case.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tenon/kernel/module_kinds.hpp"

namespace tenon {

using amount_map = std::map<std::string, int64_t>;

struct limit_config {
  std::string description;
  std::vector<std::string> users;  // "*" is every user without a named limit
  std::vector<std::string> groups;
  amount_map max_resources;
  uint64_t max_applications = 0;  // 0: unlimited
  friend bool operator==(const limit_config &, const limit_config &) = default;
};

struct placement_filter_config {
  bool allow = true;
  std::vector<std::string> users;  // one entry may be an expression: placement_filter.hpp
  std::vector<std::string> groups;
  friend bool operator==(const placement_filter_config &, const placement_filter_config &) = default;
};

struct placement_rule_config {
  std::string name;  // provided, user, fixed, tag, or one that a module provides; lower case
  bool create = false;
  placement_filter_config filter;
  std::vector<placement_rule_config> parent;  // none or one
  std::string value;                          // of fixed and tag in lower case, of others as written
  friend bool operator==(const placement_rule_config &, const placement_rule_config &) = default;
};

struct child_template_config {
  uint64_t max_applications = 0;
  std::map<std::string, std::string> properties;
  amount_map guaranteed;
  amount_map max;
  [[nodiscard]] bool empty() const {
    return max_applications == 0 && properties.empty() && guaranteed.empty() && max.empty();
  }
  friend bool operator==(const child_template_config &, const child_template_config &) = default;
};

struct queue_config {
  std::string name;  // lower case, last part of the path
  bool parent = false;
  amount_map guaranteed;                          // a type that is absent is not guaranteed
  amount_map max;                                 // a type that is absent is unlimited; all zero counts as unset
  uint64_t max_applications = 0;                  // 0: unlimited
  std::map<std::string, std::string> properties;  // own ones; inheritance is the kernel's
  std::string admin_acl;
  std::string submit_acl;
  child_template_config child_template;
  std::vector<queue_config> queues;
  std::vector<limit_config> limits;
  friend bool operator==(const queue_config &, const queue_config &) = default;
};

struct node_sort_config {
  std::string type = "fair";
  std::map<std::string, double> resource_weights;  // empty: vcore 1, memory 1
  friend bool operator==(const node_sort_config &, const node_sort_config &) = default;
};

// With what a canary goes back by itself.
struct canary_limits {
  uint32_t faults = 1;          // so many of its policy
  uint32_t placements = 100;    // are looked at together
  int64_t waiting_p99_ms = 0;   // more than one in 100 of its placements waited longer; 0: no bound
  uint32_t waiting_factor = 0;  // thousandths: its average waiting is more than that of the others'; 0: no bound
  friend bool operator==(const canary_limits &, const canary_limits &) = default;
};

// What some applications of a partition have, tried before all have it (docs/canary.md): an order of nodes, or a
// predicate where one is named.
struct canary_config {
  node_sort_config node_sort;
  std::vector<std::string> queues;  // full paths: of these and all below them; empty: of all
  uint32_t share = whole;           // of their applications, in thousandths
  std::string salt;
  canary_limits back;
  std::string predicate;  // that they alone are asked about; "": it is an order of nodes
  static constexpr uint32_t whole = 1'000;

  [[nodiscard]] module_kind kind() const { return predicate.empty() ? module_kind::node_sort : module_kind::predicate; }
  [[nodiscard]] const std::string &policy() const { return predicate.empty() ? node_sort.type : predicate; }
  friend bool operator==(const canary_config &, const canary_config &) = default;
};

// Durations and switches of ours beside YuniKorn's keys (docs/configuration.md). Milliseconds.
struct partition_tuning {
  int64_t reservation_delay_ms = 2'000;
  int64_t reservation_wait_ms = int64_t{60} * 60'000;
  bool reservation_enabled = true;
  bool reservation_backfill = false;
  static constexpr uint32_t tenth_of_nodes = UINT32_MAX;
  uint32_t reservation_max_nodes = tenth_of_nodes;  // for one application; at least one; 0: any number
  int64_t reservation_queue_delay_ms = 0;           // 0: never
  int64_t preemption_retry_ms = 15'000;
  uint64_t preemption_max_steps = 10'000;
  int64_t starting_timeout_ms = int64_t{5} * 60'000;
  int64_t completing_timeout_ms = 30'000;
  int64_t terminated_timeout_ms = int64_t{3} * 24 * 3'600'000;
  int64_t placeholder_timeout_ms = int64_t{15} * 60'000;
  int64_t queue_cleanup_ms = 10'000;
  int64_t drain_timeout_ms = 20'000;
  int64_t release_confirm_timeout_ms = int64_t{10} * 60'000;
  int64_t start_retry_ms = 1'000;  // after the first start that failed, twice as long after each; 0: at once
  int64_t start_retry_max_ms = int64_t{5} * 60'000;
  friend bool operator==(const partition_tuning &, const partition_tuning &) = default;
};

struct partition_config {
  std::string name = "default";  // as the RM says it, without [rm]
  queue_config root;             // always named "root"; partition limits are merged into it
  std::vector<placement_rule_config> placement_rules;
  bool preemption_enabled = true;
  bool quota_preemption_enabled = false;
  node_sort_config node_sort;
  std::string user_group_resolver;  // of the kind identity; "": none
  partition_tuning tuning;
  std::vector<canary_config> canary;  // none or one
  friend bool operator==(const partition_config &, const partition_config &) = default;
};

struct cluster_config {
  std::vector<partition_config> partitions;
  std::map<std::string, int32_t> priority_classes;
  std::string checksum;  // upper-case SHA-256 of the text; empty when built in code
  friend bool operator==(const cluster_config &, const cluster_config &) = default;
};

}  // namespace tenon
