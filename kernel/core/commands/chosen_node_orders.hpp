// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Chosen node orders: those that applications choose by tag, bound when the first application names one, kept until a
// configuration comes that finds nobody who uses it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "forward.hpp"
#include "model/partition_model.hpp"
#include "policies/node_sorting.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/policies.hpp"

namespace tenon::internal {

// "" or why not.
std::string bind_sort_policy(policy_source &from, module_kind kind, const std::string &policy, const std::string &json,
                             uint32_t max_types, std::unique_ptr<sort_policy> &into);

struct chosen_node_orders_access {
  core &shared;
  const partition_config &config;
  const resource_types &types;
  const application_table &of;
  node_sortings &sortings;
  sort_keys &keys;
  ask_classifier &classifier;
  policy_faults &faults;
};

class chosen_node_orders : chosen_node_orders_access {
 public:
  explicit chosen_node_orders(const chosen_node_orders_access &all) : chosen_node_orders_access(all) {}

  node_sorting *choose(texts tags);  // null: none is chosen, or to be had
  void stage(const partition_config &c);
  void forget_staged() { staged_.clear(); }
  void adopt();  // what was staged

 private:
  std::unique_ptr<sort_policy> bind(const std::string &policy, const node_sort_config &c);

  std::map<std::string, std::unique_ptr<sort_policy>> staged_;
};

}  // namespace tenon::internal
