// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Explainer: why nodes do not do, and the node that misses least.
#include <algorithm>
#include <map>

#include "explain/explain_text.hpp"
#include "explain/explainer.hpp"
#include "model/gang_start.hpp"
#include "model/queue_properties.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/placement_checks.hpp"
#include "rules/reserved_nodes.hpp"

namespace tenon::internal {
namespace {

// What an ask of the class lacks of the node's devices, by type in the order of the node's.
std::vector<device_lack> devices_lacking(const std::vector<device_group> &groups, const ask_class &c) {
  std::vector<device_lack> out;
  for (const device_group &group : groups) {
    if ((c.types >> group.type & 1U) == 0) continue;
    const device_want want = want_of(c, group.type, group.size);
    if (want.fits(group.ranked)) continue;
    const auto enough = std::count_if(group.free.begin(), group.free.end(),
                                      [&](int64_t free) { return free >= want.amount && want.count != 0; });
    device_lack lack{group.type, static_cast<uint32_t>(group.free.size()), std::max(1U, want.count), 0, false};
    lack.missing = lack.wanted - std::min(lack.wanted, static_cast<uint32_t>(enough));
    lack.mendable = want.count != 0 && want.amount <= group.size && lack.has + lack.missing <= max_devices;
    out.push_back(lack);
  }
  return out;
}

}  // namespace

// Counts why nodes do not do, and finds the one that misses least.
void explainer::explain_nodes(const ask &a, explanation &out) {
  const ask_class &c = classes[a.class_id];
  std::vector<uint64_t> by_type(types.count()), by_device(types.count());
  std::map<std::string, uint64_t> by_predicate, by_refusal;
  const node *nearest = nullptr;
  const node *drained = nullptr;
  double least = 0;
  bool kept = false;
  const bool required = c.requires_a_node();
  for (const auto &[node_id, n] : nodes.by_id()) {
    ++out.nodes.nodes;
    const int64_t *free = nodes.free(n->slot);
    const auto missing = std::find_if(c.positive.begin(), c.positive.end(),
                                      [&](const class_amount &p) { return free[p.type] < p.amount; });
    const std::vector<device_lack> lacks = devices_lacking(nodes.devices().of(n->slot), c);
    if (required && n->id != c.required_node) {
      ++by_predicate["another node is required"];
    } else if (!verdicts.passes(c, n->slot)) {
      ++by_predicate[verdicts.reason_of(c, n->slot)];
    } else if (!required && !n->schedulable()) {
      ++out.nodes.not_schedulable;
      if (nodes.holds(c, n->slot) && drained == nullptr) drained = n;
    } else if (!reserved.may_use(a, c, *n)) {
      ++by_predicate["reserved for others"];
      kept = true;
    } else if (const node_refusal *r = checks.refusal_of(a, *n); r != nullptr && nodes.holds(c, n->slot)) {
      ++by_refusal[r->reason];
    } else if (nodes.holds(c, n->slot)) {
      ++out.nodes.fit;
    } else {
      ++(missing != c.positive.end() ? by_type[missing->type] : by_device[lacks.front().type]);
      if (std::any_of(lacks.begin(), lacks.end(), [](const device_lack &l) { return !l.mendable; })) continue;
      resources available = n->capacity;
      available -= n->occupied;
      available -= n->allocated;
      double score = fit_in_score(c.need, available);
      for (const device_lack &l : lacks) score += static_cast<double>(l.missing) / static_cast<double>(l.wanted);
      if (nearest == nullptr || score < least) {
        nearest = n;
        least = score;
      }
    }
  }
  for (type_index t = 0; t < by_type.size(); ++t) {
    if (by_type[t] != 0) out.nodes.types.emplace_back(types.name(t), by_type[t]);
    if (by_device[t] != 0) out.nodes.devices.emplace_back(types.name(t), by_device[t]);
  }
  out.nodes.predicates.assign(by_predicate.begin(), by_predicate.end());
  out.nodes.refused.assign(by_refusal.begin(), by_refusal.end());
  // A gang that waits to begin whole stands in the same line, though nobody refused it.
  const bool waits_whole = a.placeholder && waits_to_begin(*a.owner, classes);
  const bool refused = a.line == ask_line::refused && (!by_refusal.empty() || (out.nodes.fit != 0 && !waits_whole));
  if (refused) {
    obstacle &o = add_obstacle(out, obstacle_kind::rm_refuses, identity.rm);
    for (const auto &[reason, count] : by_refusal) {
      o.reason += (o.reason.empty() ? "" : ", ") + std::to_string(count) + (reason.empty() ? "" : " " + reason);
    }
  }
  if (out.nodes.fit != 0) return;
  if (!refused) add_obstacle(out, obstacle_kind::nodes, {});
  if (required && (kept || refused)) return;
  change_of_nodes(c, nearest, drained, out);
}

void explainer::change_of_nodes(const ask_class &c, const node *nearest, const node *drained, explanation &out) const {
  if (drained != nullptr) {
    add_change(out, change_kind::undrain_node, drained->id);
    return;
  }
  if (nearest == nullptr) {
    add_change(out, change_kind::add_node, c.required_node).amounts = configured_values(c.need, types);
    return;
  }
  for (const class_amount &p : c.positive) {
    const int64_t more = sub_saturating(p.amount, nodes.free(nearest->slot)[p.type]);
    if (more <= 0) continue;
    change &raised = add_change(out, change_kind::raise_node_capacity, nearest->id);
    raised.type = types.name(p.type);
    raised.from = nearest->capacity[p.type];
    raised.to = add_saturating(raised.from, more);
  }
  for (const device_lack &l : devices_lacking(nodes.devices().of(nearest->slot), c)) {
    change &raised = add_change(out, change_kind::raise_node_devices, nearest->id);
    raised.type = types.name(l.type);
    raised.from = l.has;
    raised.to = l.has + l.missing;
  }
}

}  // namespace tenon::internal
