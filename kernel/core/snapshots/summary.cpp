// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "snapshots/summary.hpp"

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
  out.name = identity.name;
  out.rm = identity.rm;
  out.plain_name = identity.plain_name;
  out.node_count = nodes.by_id().size();
  out.since_ms = identity.since_ms;
  out.preemption = identity.config.preemption_enabled;
  out.quota_preemption = identity.config.quota_preemption_enabled;
  out.weights = identity.config.node_sort.resource_weights;
  out.state = identity.state;
  out.node_sort_policy = sortings.own.policy->bound->name;
  out.capacity = values(total, types);
  out.used = values(root->allocated, types);
  out.pending = values(root->pending, types);
  out.allocations = allocations;
  return out;
}

partition_snapshot summary::sums() const {
  partition_snapshot out = head();
  for (const auto &[app_id, app] : applications.active) ++out.application_states[app->state];  // any order: a sum
  for (const application *app : applications.ended) ++out.application_states[app->state];
  return out;
}

}  // namespace tenon::internal
