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
  out.name = of.name;
  out.rm = of.rm;
  out.plain_name = of.plain_name;
  out.node_count = of.nodes.by_id().size();
  out.since_ms = of.since_ms;
  out.preemption = of.config.preemption_enabled;
  out.quota_preemption = of.config.quota_preemption_enabled;
  out.weights = of.config.node_sort.resource_weights;
  out.state = of.state;
  out.node_sort_policy = sorting.policy->bound->name;
  out.capacity = values(of.total, of.types);
  out.used = values(of.root->allocated, of.types);
  out.pending = values(of.root->pending, of.types);
  out.allocations = allocations;
  return out;
}

partition_snapshot summary::sums() const {
  partition_snapshot out = head();
  for (const auto &[app_id, app] : of.active) ++out.application_states[app->state];  // any order: a sum
  for (const application *app : of.ended) ++out.application_states[app->state];
  return out;
}

}  // namespace tenon::internal
