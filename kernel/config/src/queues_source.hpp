// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// queues.yaml between text and value: what was written, with the places, for the checks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tenon/config/problems.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/config/yaml.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::config {

// Quantities by resource type. Types whose text is no quantity are left out and remembered.
struct quantities_source {
  struct bad_quantity {
    text_position at;
    refusal why;
  };
  const yaml_node *node = nullptr;  // the map; nullptr: not written
  amount_map amounts;
  std::vector<bad_quantity> bad;

  [[nodiscard]] bool written() const { return node != nullptr; }
  [[nodiscard]] bool good() const { return bad.empty(); }
  // Where the quantity of `type` stands, or the map where it does not.
  [[nodiscard]] text_position place_of(const std::string &type) const;
  void report_bad(problems &report) const;
};

struct name_source {
  text_position at;
  std::string text;
};

struct limit_source {
  text_position at;
  std::string description;
  std::vector<name_source> users;
  std::vector<name_source> groups;
  quantities_source max;
  uint64_t max_applications = 0;
  text_position max_applications_at;

  [[nodiscard]] limit_config value() const;
};

struct child_template_source {
  child_template_config value;  // empty values dropped
  quantities_source guaranteed;
  quantities_source max;
};

struct queue_source {
  const yaml_node *node = nullptr;  // nullptr: the root that is not written
  text_position at;
  std::string name;  // as written
  text_position name_at;
  bool parent = false;  // said so, or root
  quantities_source guaranteed;
  quantities_source max;
  uint64_t max_applications = 0;
  text_position max_applications_at;
  std::map<std::string, std::string> properties;
  std::string admin_acl;
  std::string submit_acl;
  child_template_source child_template;
  std::vector<queue_source> queues;
  std::vector<limit_source> limits;

  // Where the value of a key stands, or the queue where it does not.
  [[nodiscard]] text_position place_of(std::string_view key) const;
};

struct rule_source {
  const yaml_node *node = nullptr;
  std::string name;  // as written
  bool create = false;
  std::string filter_type;
  std::vector<name_source> filter_users;
  std::vector<name_source> filter_groups;
  std::vector<rule_source> parent;  // none or one
  std::string value;                // as written

  [[nodiscard]] text_position place_of(std::string_view key) const;
};

struct partition_source {
  const yaml_node *node = nullptr;
  std::string name;         // as written, or "default"
  bool has_queues = false;  // the key is there
  queue_source root;
  std::vector<limit_source> limits;
  std::vector<rule_source> rules;
  node_sort_config node_sort;
  std::vector<canary_config> canary;  // none or one
  std::string user_group_resolver;

  [[nodiscard]] text_position place_of(std::string_view key) const;
};

struct file_source {
  std::vector<partition_source> partitions;
};

// The place of the value of `key` in a map, or of the map where the key is absent.
[[nodiscard]] text_position place_in(const yaml_node &map, std::string_view key);

// Reads a text of the right shape.
[[nodiscard]] file_source read_source(const yaml_node &root);

// The checks, in the field's order. Each reports everything it finds.
void check_partition_names(const file_source &file, problems &report);
void check_structure(const partition_source &partition, problems &report);
void check_queues(const queue_source &root, const parse_options &options, problems &report);
void check_resources(const queue_source &root, problems &report);
void check_placement(const partition_source &partition, const parse_options &options, problems &report);
void check_rule_kinds(const partition_source &partition, const parse_options &options, problems &report);
// `node`: where it is written.
void check_node_sort(const yaml_node &node, const node_sort_config &sort, const parse_options &options,
                     problems &report);
void check_node_sort(const partition_source &partition, const parse_options &options, problems &report);
void check_canary(const partition_source &partition, const parse_options &options, problems &report);
void check_max_applications(const queue_source &root, problems &report);
void check_limits(const queue_source &queue, problems &report);
void check_limit_hierarchy(const queue_source &root, problems &report);
void check_properties(const queue_source &root, const parse_options &options, problems &report);
// `root` with the limits of the partition.
void check_meaning(const partition_source &partition, const queue_source &root, problems &report);

// The value of a text that passed all checks.
[[nodiscard]] cluster_config build_config(const yaml_node &root, const file_source &file, const parse_options &options);

// Comparisons of configured amounts. fits: a type missing in `larger` is unlimited, a negative one is 0.
[[nodiscard]] bool fits(const amount_map &larger, const amount_map &smaller);
// The first type of `smaller` that does not fit.
[[nodiscard]] std::string first_too_large(const amount_map &larger, const amount_map &smaller);
// Union; a type missing on one side takes the other's amount.
[[nodiscard]] amount_map component_min(const amount_map &a, const amount_map &b);
void add_saturating(amount_map &to, const amount_map &more);
[[nodiscard]] bool all_zero(const amount_map &amounts);

}  // namespace tenon::config
