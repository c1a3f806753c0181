// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/node_search.hpp"

#include <algorithm>
#include <vector>

#include "core.hpp"
#include "model/node_table.hpp"
#include "policies/call_contexts.hpp"
#include "ready/node_fitness.hpp"
#include "rules/placement_checks.hpp"
#include "rules/reserved_nodes.hpp"

namespace tenon::internal {
namespace {

// Of applications. Past it all are made anew as they are wanted.
constexpr size_t orders_kept = 64;

}  // namespace

node *node_search::find(ask_class &c, ask &a, bool &refused) {
  ++shared.counters.node_searches;
  const auto will_do = [&](node &n) {
    if (!n.reservations->empty() && !reserved.may_use(a, c, n)) return false;
    if (!fitness.passes(n, c)) return false;
    const bool ok = checks.agrees(a, n, true);
    refused |= !ok;
    return ok;
  };
  if (c.requires_a_node()) {
    node *n = nodes.find(c.required_node);
    if (n == nullptr) return nullptr;
    ++shared.counters.nodes_examined;
    return nodes.holds(c, n->slot) && will_do(*n) ? n : nullptr;
  }
  node_order *by = order_for(c, *a.owner);
  if (by == nullptr) return nullptr;
  reservation *own = reservation_of(a);
  if (own != nullptr && nodes.usable(own->where->slot)) {
    nodes.close(own->where->slot, false);
    by->opened(own->where->slot);
  }
  const uint32_t slot = by->first_fit(c, shared.counters.nodes_examined,
                                      [&](uint32_t candidate) { return will_do(*nodes.at(candidate)); });
  if (own != nullptr) nodes.close(own->where->slot, reserved.keeps_others_out(*own->where));
  return slot == node_order::no_slot ? nullptr : nodes.at(slot);
}

node *node_search::find_to_reserve(ask_class &c, ask &a, bool &refused) {
  node_order *by = order_for(c, *a.owner);
  if (by == nullptr) return nullptr;
  std::vector<uint32_t> left_out;
  for (;;) {
    const uint32_t slot = by->least_lacking(c, shared.counters.nodes_examined, [&](uint32_t candidate) {
      const node &n = *nodes.at(candidate);
      return n.reservations->empty() && fitness.fits_empty(n, c) &&
             std::find(left_out.begin(), left_out.end(), candidate) == left_out.end();
    });
    if (slot == node_order::no_slot) return nullptr;
    if (checks.agrees(a, *nodes.at(slot), false)) return nodes.at(slot);
    refused = true;
    left_out.push_back(slot);
  }
}

node_order *node_search::order_for(const ask_class &c, const application &app) {
  node_sorting &by = sortings.of(app);
  const sort_policy &policy = *by.policy;
  if (policy.scores()) {
    const bool counts = !policy.counts_by.empty();
    const std::pair key{c.id, counts ? app.submission : 0};
    if (counts && by.scored.size() >= orders_kept && !by.scored.contains(key)) by.scored.clear();
    auto &slot = by.scored[key];
    if (slot == nullptr) {
      static const score_facts nothing;
      const score_facts &read = c.scored != nullptr ? *c.scored : nothing;
      const ask_facts facts{c.need, read.priority, read.tags, &c.devices};
      slot.reset(new node_sorting::score_order{{}, facts, node_order(nodes, *by.policy)});
      if (counts) slot->facts.counts = &slot->counts;
      slot->order.score_for(slot->facts);
    }
    if (counts) count_for_score(app, policy, *slot);
    if (slot->order.refresh(contexts.now())) return &slot->order;
  } else if (by.order->refresh(contexts.now())) {
    return by.order.get();
  }
  fallback.failed(*by.policy);
  return by.order->refresh(contexts.now()) ? by.order.get() : nullptr;
}

// Nodes of groups whose count changed get new scores.
void node_search::count_for_score(const application &app, const sort_policy &policy,
                                  node_sorting::score_order &scored) const {
  scored.counts.resize(policy.counts_by.size());
  for (size_t i = 0; i < scored.counts.size(); ++i) {
    const node_table::grouping &same = nodes.groups_by(policy.counts_by[i]);
    std::vector<int64_t> now(same.count());
    for (const allocation *a : app.allocations) ++now[same.of[a->where->slot]];
    scored.counts[i].resize(now.size());
    if (now == scored.counts[i]) continue;
    for (uint32_t slot = 0; slot < nodes.slots(); ++slot) {
      const uint32_t group = same.of[slot];
      if (nodes.at(slot) != nullptr && now[group] != scored.counts[i][group]) scored.order.touch(slot);
    }
    scored.counts[i] = std::move(now);
  }
}

}  // namespace tenon::internal
