// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Inspector: goes through what waits as the cycle would, and says what each ask waits for, where that changed: a limit
// (SKIPPED) or a node (FAILED), for autoscalers. What it said last is kept in the ask.
#pragma once

#include <vector>

#include "forward.hpp"
#include "model/partition_model.hpp"

namespace tenon::internal {

struct inspector_access {
  // Nodes are searched as the cycle does, without asking the resource manager. A policy that fails is replaced.
  const core &shared;
  const partition_config &config;
  const std::unique_ptr<queue> &root;
  class_table &classes;
  const node_table &nodes;
  const fresh_keys &keys;
  const internal::headroom &headroom;
  const node_verdicts &verdicts;
  placement_checks &checks;
  node_search &search;
  internal::whole_gang &whole_gang;
  policy_faults &faults;
  const fact_teller &facts;
  change_dispatcher &changes;
};

class inspector : inspector_access {
 public:
  explicit inspector(const inspector_access &all) : inspector_access(all) {}

  void inspect(bool stopped);  // the partition is

 private:
  struct inspection;
  struct limit_above;

  void inspect_queue(const queue &q, inspection &seen, bool stopped);
  void inspect_application(application &app, inspection &seen, bool stopped);
  static std::vector<limit_above> limits_above(const application &app, inspection &seen);
  container_word word_for(ask &a, const std::vector<limit_above> &above, inspection &seen);
  [[nodiscard]] bool is_kept_back(queue &leaf, const resources &need, inspection &seen) const;
  void wait_first(const ask &a, inspection &seen) const;
  void look_at_gang(const application &app, const std::vector<limit_above> &above, inspection &seen);
  bool is_node_there(ask &a, ask_class &c, inspection &seen);
  void tell_word(ask &a, container_word word);
  void tell_limits_of(ask &a);
  void tell_unschedulable(ask &a);
};

}  // namespace tenon::internal
