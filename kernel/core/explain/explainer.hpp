// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Explainer: reads the same state that parks asks, and says with numbers what holds one and what it lacks. What that
// would bring is tried on a copy of the partition (rehearsal.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core.hpp"
#include "forward.hpp"
#include "model/partition_model.hpp"
#include "tenon/kernel/explain.hpp"

namespace tenon::internal {

struct explainer_access {
  // Asked are verdicts of predicates, refusals of the resource manager, reservations, victims, and policies for keys.
  const core &shared;
  const partition_identity &identity;
  const application_table &applications;
  const resource_types &types;
  const class_table &classes;
  const node_table &nodes;
  const std::unique_ptr<queue> &root;
  const resources &total;  // of all nodes
  node_verdicts &verdicts;
  const reserved_nodes &reserved;
  placement_checks &checks;
  const preemption_times &preempts;
  victim_search &victims;
  const fresh_keys &keys;
  const partition_config &config;
  const internal::headroom &headroom;
};

class explainer : explainer_access {
 public:
  explicit explainer(const explainer_access &all) : explainer_access(all) {}

  // Without words, and without what would let it run.
  [[nodiscard]] explanation explain(std::string_view app_id, std::string_view key);
  // What holds the pending ask, and what it lacks for itself.
  void explain_ask(const ask &a, explanation &out);

 private:
  class turn_order;
  void explain_stopped(const queue &leaf, explanation &out) const;
  void explain_limits(const application &app, const ask_class &c, explanation &out) const;
  void explain_queues(const ask &a, const ask_class &c, explanation &out) const;
  void explain_placeholders(const ask &a, explanation &out);
  [[nodiscard]] std::string open_checks(const ask &a) const;
  // explainer_nodes.cpp
  void explain_nodes(const ask &a, explanation &out);
  void change_of_nodes(const ask_class &c, const node *nearest, const node *drained, explanation &out) const;
  // explainer_orders.cpp
  void explain_orders(const application &app, explanation &out) const;
  void explain_kept_order(const ask &a, explanation &out) const;
  [[nodiscard]] const ask *first_beyond_headroom(const queue &leaf, const turn_order &in_turn) const;
  [[nodiscard]] uint64_t count_before(const ask &a) const;
  [[nodiscard]] uint64_t count_before_in_gangs(const ask &a) const;
  // explainer_claims.cpp
  void explain_claims(const ask &a, explanation &out) const;
  void explain_preemption(const ask &a, explanation &out);
};

}  // namespace tenon::internal
