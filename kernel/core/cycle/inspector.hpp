// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Inspector: goes through what waits as the cycle would, and says what each ask waits for, where that changed: a limit
// (SKIPPED) or a node (FAILED), for autoscalers. What it said last is kept in the ask. It may go in parts.
#pragma once

#include <string>
#include <vector>

#include "cycle/inspection_round.hpp"
#include "forward.hpp"
#include "model/partition_model.hpp"

namespace tenon::internal {

struct inspector_access {
  // The inspector searches nodes as the cycle does, but does not ask the resource manager.
  const core &shared;
  const partition_config &config;
  const std::unique_ptr<queue> &root;
  const queue_lifecycle &queues;
  const resource_types &types;
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

  // Looks at `most` applications and asks, or with 0 at all. `stopped` says whether the partition is.
  void inspect(bool stopped, uint32_t most);
  [[nodiscard]] const inspection_round &round() const { return round_; }
  void resume(inspection_round round) { round_ = std::move(round); }
  void end_round() { round_ = {}; }

 private:
  struct inspection;
  struct limit_above;
  struct leaf_part;

  void collect_leaves(const queue &q, bool stopped, std::vector<std::string> &out) const;
  void inspect_leaves(inspection &seen, bool stopped);
  bool inspect_leaf(queue &leaf, inspection &seen, bool stopped);
  void inspect_large(const queue &leaf, application &app, inspection &seen, bool stopped);
  void inspect_some(const queue &leaf, leaf_part &some, inspection &seen, bool stopped);
  void inspect_application(application &app, leaf_part &some, inspection &seen, bool stopped);
  void find_first(const queue &leaf, inspection &seen) const;
  void keep_round(inspection &seen);
  resources &taken_in(const queue &q, inspection &seen) const;
  std::vector<limit_above> limits_above(const application &app, inspection &seen) const;
  int64_t count_within(const ask &a, const ask_class &c, const std::vector<limit_above> &above, inspection &seen) const;
  container_word word_for(ask &a, const std::vector<limit_above> &above, inspection &seen);
  [[nodiscard]] bool is_kept_back(queue &leaf, const resources &need, inspection &seen) const;
  void wait_first(const ask &a, inspection &seen) const;
  void look_at_gang(const application &app, const std::vector<limit_above> &above, inspection &seen);
  bool is_node_there(ask &a, ask_class &c, inspection &seen);
  void tell_word(ask &a, container_word word);
  void tell_limits_of(ask &a);
  void tell_unschedulable(ask &a, inspection &seen);

  inspection_round round_;
};

}  // namespace tenon::internal
