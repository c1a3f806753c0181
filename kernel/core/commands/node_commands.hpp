// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node commands: registration with what runs there, changes, draining and removal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/ask_intake.hpp"
#include "forward.hpp"
#include "model/partition_model.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

struct node_commands_access {
  partition_identity &of;
  const resource_types &types;
  const class_table &classes;
  const resources &total;
  node_table &nodes;
  resource_intake &intake;
  ask_intake &asks;
  application_intake &applications;
  queue_tree &queues;
  application_states &states;
  allocation_states &allocations;
  foreign_allocations &foreign;
  device_holdings &holdings;
  internal::proposals &proposals;
  internal::replacements &replacements;
  internal::reservations &reservations;
  const reserved_line &reserved;
  unfit_placements &unfit;
  placement_checks &checks;
  decision_teller &decisions;
  const fact_teller &facts;
  change_dispatcher &changes;
};

class node_commands : node_commands_access {
 public:
  explicit node_commands(const node_commands_access &all) : node_commands_access(all) {}

  void obey(const tenon::add_node &c);
  void obey(const tenon::update_node &c);
  void obey(const tenon::change_node &c);

 private:
  // What a command says of a node, as it was checked.
  struct node_terms {
    resources capacity, occupied;
    std::vector<ask_terms> existing;
  };

  // "" or why not.
  std::string check(const tenon::add_node &c, node_terms &out) const;
  std::string check(const tenon::update_node &c, const node *n, node_terms &out) const;
  std::string check_node_devices(texts attributes) const;
  std::string admit_existing(const tenon::add_node &c, node_terms &terms);
  std::string check_total(const resources &capacity, const node *n) const;
  void refuse(const decided_what &what, std::string_view node_id);
  void refuse_update(std::string why, std::string_view node_id);
  void decommission(node &n);
};

}  // namespace tenon::internal
