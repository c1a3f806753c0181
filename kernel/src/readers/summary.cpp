// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "readers/summary.hpp"

namespace tenon::internal {
namespace {

amount_map values(const resources &r, const resource_types &types) {
  amount_map out;
  for_each_type(r, [&](type_index t, int64_t amount) {
    if (amount != 0) out[std::string(types.name(t))] = amount;
  });
  return out;
}

}  // namespace

partition_snapshot summary::head() const {
  partition_snapshot out;
  out.name = of_.name;
  out.rm = of_.rm;
  out.plain_name = of_.plain_name;
  out.node_count = of_.nodes.by_id().size();
  out.since_ms = of_.since_ms;
  out.preemption = of_.config.preemption_enabled;
  out.quota_preemption = of_.config.quota_preemption_enabled;
  out.weights = of_.config.node_sort.resource_weights;
  out.state = of_.state;
  out.node_sort_policy = sorting_.policy->bound->name;
  out.capacity = values(of_.total, of_.types);
  out.used = values(of_.root->allocated, of_.types);
  out.pending = values(of_.root->pending, of_.types);
  out.allocations = allocations_;
  return out;
}

partition_snapshot summary::sums() const {
  partition_snapshot out = head();
  for (const auto &[app_id, app] : of_.active) ++out.application_states[app->state];  // any order: a sum
  for (const application *app : of_.ended) ++out.application_states[app->state];
  return out;
}

}  // namespace tenon::internal
