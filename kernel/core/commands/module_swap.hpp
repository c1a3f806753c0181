// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Module swap: another build of a module decides from now on. What the partition has of its policies is bound anew, as
// its configuration says, and all that it keeps of what these said is asked for again.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forward.hpp"
#include "model/partition_model.hpp"
#include "policies/bound_sort_policy.hpp"
#include "policies/placement_rules.hpp"
#include "policies/policy_batch.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

// What takes over in one partition; null where nothing does.
struct staged_swap {
  std::map<std::string, std::unique_ptr<sort_policy>> of_queues, of_applications, chosen;
  std::unique_ptr<sort_policy> own, canary;
  std::vector<node_predicate> predicates;  // in the place of those that there are; empty: all stay
};

struct module_swap_access {
  core &shared;
  const partition_config &config;
  const resource_types &types;
  sort_orders &orders;
  internal::placement &placement;
  node_verdicts &verdicts;
  sort_keys &keys;
  ask_classifier &classifier;
  policy_faults &faults;
  change_dispatcher &changes;
};

class module_swap : module_swap_access {
 public:
  explicit module_swap(const module_swap_access &all) : module_swap_access(all) {}

  // "" or why one of its policies cannot be had. Rules are not among them: what is known of those is in the journal.
  [[nodiscard]] std::string stage(const tenon::swap_module &c, staged_swap &out) const;
  // Likewise, as the journal has it where that is played. Only while the command is applied.
  [[nodiscard]] std::string stage_rules(const tenon::swap_module &c,
                                        std::vector<std::unique_ptr<placement_rule>> &out) const;
  void adopt(staged_swap staged, std::vector<std::unique_ptr<placement_rule>> rules);

 private:
  [[nodiscard]] std::string stage(module_kind kind, const std::string &policy, staged_swap &out) const;
  [[nodiscard]] std::string stage_nodes(const std::string &policy, staged_swap &out) const;
  [[nodiscard]] std::string stage_predicates(const tenon::swap_module &c, staged_swap &out) const;
  [[nodiscard]] std::string bind(module_kind kind, const std::string &policy, const std::string &json,
                                 std::unique_ptr<sort_policy> &out) const;
  void replace(sort_policy &now, std::unique_ptr<sort_policy> by);
  bool replace(node_sorting &now, std::unique_ptr<sort_policy> by);  // false: it stays
  void retire(std::unique_ptr<placement_rule> rule);
};

}  // namespace tenon::internal
