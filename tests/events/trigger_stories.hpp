// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Stories that make a kernel tell each of the things that are recorded, with the records that they must lead to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/cluster.hpp"

namespace tenon::testing {

inline const amount_map hundred{{"memory", 100}};

inline void as_placeholder(put_ask &p) {
  p.task_group = "workers";
  p.placeholder = true;
}

// Where a story plays.
class stage {
 public:
  explicit stage(fact_listener &told) : told_(&told) {}
  cluster *operator->() { return &*cluster_; }
  void start(std::vector<queue_config> queues, std::vector<limit_config> limits = {}, amount_map node = {});
  // What is told from here on is compared.
  std::function<void()> begin;

  // An ask of application `app`, as `change` makes it.
  void put(std::string_view key, const amount_map &need, const std::function<void(put_ask &)> &change = {});
  // "app" of alice, in root.a, who is in the groups ops and dev.
  void add_app();
  // Foreign where it is of no application.
  void existing(std::string_view node, std::string_view application, std::string_view key, const amount_map &has);
  void release_for(termination why, std::string_view key);
  void change(std::string_view node, node_event event);
  // A limit of the root queue, or of its first child.
  void limit(const std::vector<limit_config> &limits, bool of_root = true);
  void reconfigure(const std::function<void(partition_config &)> &change);
  void pass(int64_t ms);

  static limit_config of_user(std::string name, amount_map max);
  static limit_config of_group(std::string name, amount_map max);

 private:
  fact_listener *told_;
  arena own_;
  std::optional<cluster> cluster_;
};

// Each record in full: "TYPE object reference CHANGE DETAIL | reason groupID | application queue node | resource |
// message", with - for what is empty.
struct trigger_story {
  std::string_view name;
  void (*play)(stage &);
  std::vector<std::string> records;
};

[[nodiscard]] std::vector<trigger_story> stories_of_applications();
[[nodiscard]] std::vector<trigger_story> stories_of_asks();
[[nodiscard]] std::vector<trigger_story> stories_of_nodes_and_queues();

}  // namespace tenon::testing
