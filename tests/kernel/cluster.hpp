// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A kernel with one resource manager, told what to do in a line each.
#pragma once

#include <string>
#include <vector>

#include "rules/arena.hpp"
#include "tenon/builtin/policy_source.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::testing {

inline constexpr std::string_view default_partition = "[rm]default";
inline constexpr partition_id first_partition{
    1};  // the handle of the first that a kernel has: in a cluster, of that one

class cluster {
 public:
  explicit cluster(std::vector<queue_config> queues, std::vector<limit_config> root_limits = {});
  // With policies of somebody else, and a node order by name.
  cluster(policy_source &policies, std::vector<queue_config> queues, std::string node_sort = "fair");

  // Applies the command now; what was decided is in decisions().
  void run(const command &c);
  void advance(int64_t ms) { now_ms_ += ms; }

  void add_node(std::string_view id, const amount_map &capacity,
                const std::map<std::string, std::string> &attributes = {});
  void set_capacity(std::string_view id, const amount_map &capacity);
  void set_attributes(std::string_view id, const std::map<std::string, std::string> &attributes);
  void undrain(std::string_view id);
  void add_app(std::string_view id, std::string_view queue, std::string_view user = "testuser",
               const std::map<std::string, std::string> &tags = {});
  void ask(std::string_view app, std::string_view key, const amount_map &resources, int32_t priority = 0,
           const std::map<std::string, std::string> &tags = {});
  void give_back(std::string_view app, std::string_view key);
  void configure(cluster_config config);
  // Steps until nothing is decided.
  void settle();
  // Live allocations of the ask.
  [[nodiscard]] size_t placed(std::string_view app, std::string_view key);

  kernel &operator*() { return it_; }
  kernel *operator->() { return &it_; }
  [[nodiscard]] const cluster_config &config() const { return config_; }
  [[nodiscard]] const std::vector<std::string> &decisions() const { return decisions_; }
  // All that was run, with what its steps were told from outside.
  [[nodiscard]] const std::string &journal() const { return journal_; }

 private:
  void start(std::vector<queue_config> queues, std::vector<limit_config> root_limits, std::string node_sort);

  arena own_;
  builtin_policy_source built_in_{{{"node-attributes"}}};
  kernel it_;
  cluster_config config_;
  int64_t now_ms_ = 1'000'000;
  std::vector<std::string> decisions_;
  std::string journal_ = journal_header("a test");
};

[[nodiscard]] queue_config named_queue(std::string name, amount_map max = {}, std::vector<queue_config> children = {});

}  // namespace tenon::testing
