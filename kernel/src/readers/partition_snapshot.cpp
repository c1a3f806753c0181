// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What readers see of the partition beside its lists.
#include "partition.hpp"

namespace tenon::internal {
namespace {

amount_map values(const resources &r, const resource_types &types, bool zeros) {
  amount_map out;
  for_each_type(r, [&](type_index t, int64_t amount) {
    if (zeros || amount != 0) out[std::string(types.name(t))] = amount;
  });
  return out;
}

}  // namespace

amount_map partition::configured_values(const resources &r) const { return values(r, types, true); }

partition_snapshot partition::head() const {
  partition_snapshot out;
  out.name = name;
  out.rm = rm;
  out.plain_name = plain_name;
  out.node_count = nodes.by_id().size();
  out.since_ms = since_ms;
  out.preemption = config.preemption_enabled;
  out.quota_preemption = config.quota_preemption_enabled;
  out.weights = config.node_sort.resource_weights;
  out.state = state;
  out.node_sort_policy = sortings.own.policy->bound->name;
  out.capacity = values(total, types, false);
  out.used = values(root->allocated, types, false);
  out.pending = values(root->pending, types, false);
  out.allocations = allocation_count;
  return out;
}

partition_snapshot partition::sums() const {
  partition_snapshot out = head();
  for (const auto &[app_id, app] : active) ++out.application_states[app->state];  // any order: a sum
  for (const application *app : ended) ++out.application_states[app->state];
  return out;
}

}  // namespace tenon::internal
