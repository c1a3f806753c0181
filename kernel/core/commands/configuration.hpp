// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Configuration: everything that can be refused is looked at first, then it is applied whole.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "forward.hpp"
#include "model/partition_model.hpp"
#include "model/queue_properties.hpp"
#include "policies/bound_sort_policy.hpp"
#include "policies/placement_rules.hpp"
#include "policies/policy_batch.hpp"

namespace tenon::internal {

struct configuration_access {
  core &shared;
  partition_config &config;
  resource_types &types;
  const application_table &applications;
  slab<ask> &asks;
  const node_table &nodes;
  const std::unique_ptr<queue> &root;
  std::map<std::string, int32_t> &priority_classes;
  sort_orders &orders;
  resource_intake &intake;
  queue_tree &queues;
  chosen_node_orders &chosen_orders;
  internal::canary &canary;
  ask_classifier &classifier;
  internal::administration &administration;
  internal::placement &placement;
  node_verdicts &verdicts;
  ready_index &ready;
  ask_alarms &alarms;
  internal::limits &limits;
  internal::reservations &reservations;
  const reserved_line &reserved;
  victim_room &victims;
  internal::quotas &quotas;
  policy_faults &faults;
  change_dispatcher &changes;
};

class configuration : configuration_access {
 public:
  explicit configuration(const configuration_access &all) : configuration_access(all) {}

  // "" or why nothing is changed. Makes ready what apply() needs, which cannot fail.
  [[nodiscard]] std::string check(const partition_config &c);
  void apply(const partition_config &c, const std::map<std::string, int32_t> &classes_of_priority);
  // What check() made ready, for a new partition that is restored: its queues come by themselves.
  void adopt(const partition_config &c, const std::map<std::string, int32_t> &classes_of_priority);

 private:
  std::string stage_policies(const partition_config &c);
  // "" or what is wrong below the queue, whose properties in force and template from above are these.
  std::string check_prepared(const queue_config &c, const std::string &path, const property_map &properties,
                             const child_template_config &above);
  void reconsider_asks(bool other_classes);

  struct {
    std::vector<std::unique_ptr<placement_rule>> rules;
    std::unique_ptr<sort_policy> node_policy;
    std::vector<node_predicate> predicates;
    std::map<std::string, std::unique_ptr<sort_policy>> queue_policies, app_policies;
  } staged;
};

}  // namespace tenon::internal
