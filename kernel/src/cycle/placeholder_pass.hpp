// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placeholder pass: pass B of the cycle, which puts real asks in the place of placeholders.
#pragma once

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class ask_lines;
class device_holdings;
class gangs;
class node_fitness;
class node_search;
class node_table;
class placement_checks;
class ready_index;
class replacements;
struct core;

class placeholder_pass {
 public:
  placeholder_pass(core &shared, class_table &classes, const node_table &nodes, const device_holdings &devices,
                   const node_fitness &fitness, placement_checks &checks, node_search &search, ready_index &ready,
                   ask_lines &lines, internal::gangs &gangs, internal::replacements &replacements)
      : shared_(shared),
        classes_(classes),
        nodes_(nodes),
        devices_(devices),
        fitness_(fitness),
        checks_(checks),
        search_(search),
        ready_(ready),
        lines_(lines),
        gangs_(gangs),
        replacements_(replacements) {}

  [[nodiscard]] bool has_work() const;
  bool decide();

 private:
  bool replace_in(application &app);
  bool replace_one(ask &a, task_group &g, bool &rm_refuses);

  core &shared_;
  class_table &classes_;
  const node_table &nodes_;
  const device_holdings &devices_;
  const node_fitness &fitness_;
  placement_checks &checks_;
  node_search &search_;
  ready_index &ready_;
  ask_lines &lines_;
  internal::gangs &gangs_;
  internal::replacements &replacements_;
};

}  // namespace tenon::internal
