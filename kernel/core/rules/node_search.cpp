// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/node_search.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "core.hpp"
#include "model/node_table.hpp"
#include "policies/call_contexts.hpp"
#include "queueing/node_fitness.hpp"
#include "rules/placement_checks.hpp"
#include "rules/reserved_nodes.hpp"

namespace tenon::internal {

found_node node_search::find(ask_class &c, ask &a, bool &refused) {
  ++shared.counters.node_searches;
  const auto will_do = [&](node &n) {
    if (!n.reservations->empty() && !reserved.may_use(a, c, n)) {
      refused |= reserved_nodes::goes_by_order(n);  // another ask alike may
      return false;
    }
    if (!fitness.passes(n, c)) return false;
    const bool ok = checks.agrees(a, n, true);
    refused |= !ok;
    return ok;
  };
  if (c.requires_a_node()) {
    node *n = nodes.find(c.required_node);
    if (n == nullptr) return {};
    ++shared.counters.nodes_examined;
    return {nodes.holds(c, n->slot) && will_do(*n) ? n : nullptr};
  }
  reservation *own = reservation_of(a);
  if (own != nullptr && !nodes.usable(own->where->slot)) own = nullptr;
  if (own != nullptr) {
    nodes.close(own->where->slot, false);
    sortings.of(*a.owner).opened(own->where->slot);
  }
  const found_node found = first_of(c, a, [&](uint32_t slot) { return will_do(*nodes.at(slot)); });
  if (own != nullptr) nodes.close(own->where->slot, reserved.keeps_others_out(*own->where));
  return found;
}

void node_search::open_nodes_of(const application &app, bool open) {
  for (const reservation *r : app.reservations) {
    if (!r->of_gang || (open && !nodes.usable(r->where->slot))) continue;
    nodes.close(r->where->slot, !open && reserved.keeps_others_out(*r->where));
    if (open) sortings.of(app).opened(r->where->slot);
  }
}

template <class Accept>
found_node node_search::first_of(const ask_class &c, const ask &a, Accept &&accept) {
  if (scored_order *scored = scored_for(c, *a.owner, scored_order::contents::what_fits)) {
    return first_scored(*scored, c, accept);
  }
  node_order *by = order_for(*a.owner);
  const uint32_t slot = by == nullptr ? node_order::no_slot : by->first_fit(c, shared.counters.nodes_examined, accept);
  return {slot == node_order::no_slot ? nullptr : nodes.at(slot)};
}

template <class Accept>
found_node node_search::first_scored(scored_order &scored, const ask_class &c, Accept &accept) {
  const uint32_t slot = scored.first_fit(shared.counters.nodes_examined, accept);
  if (slot == scored_order::no_slot) return {};
  return {nodes.at(slot), chosen_on(*nodes.at(slot), c, scored.choice())};
}

// On a reserved node the scheduler chooses: whether there is room beside the reserved ask must not depend on the order,
// for a class that found no node is not searched for again in any order.
held_devices node_search::chosen_on(const node &n, const ask_class &c, const device_choice &choice) {
  if (choice.devices == 0 || !n.reservations->empty() || (c.types >> choice.type & 1U) == 0) return {};
  const device_group *group = nodes.devices().find(n.slot, choice.type);
  if (group == nullptr) return {};
  const held_devices chosen = device_table::take(*group, c, choice.devices);
  if (chosen.type == no_type) ++shared.counters.device_choices_left;
  return chosen;
}

node *node_search::find_to_reserve(ask_class &c, ask &a, bool &refused) {
  scored_order *scored = scored_for(c, *a.owner, scored_order::contents::everything);
  node_order *by = scored != nullptr ? nullptr : order_for(*a.owner);
  if (scored == nullptr && by == nullptr) return nullptr;
  std::vector<uint32_t> left_out;
  const uint64_t faults = fitness.faults();
  const auto accept = [&](uint32_t candidate) {
    const node &n = *nodes.at(candidate);
    return n.reservations->empty() && fitness.fits_empty(n, c) &&
           std::find(left_out.begin(), left_out.end(), candidate) == left_out.end();
  };
  for (;;) {
    uint64_t &examined = shared.counters.nodes_examined;
    const uint32_t slot =
        scored != nullptr ? scored->least_lacking(examined, accept) : by->least_lacking(c, examined, accept);
    if (slot == node_order::no_slot || fitness.faults() != faults) return nullptr;
    if (checks.agrees_to_reserve(a, *nodes.at(slot))) return nodes.at(slot);
    refused = true;
    if (checks.awaits_answer()) return nullptr;
    left_out.push_back(slot);
  }
}

node *node_search::find_to_empty(ask_class &c, ask &a, bool &refused) {
  for (node *n : nodes_to_empty(c, a)) {
    if (checks.agrees_to_reserve(a, *n)) return n;
    refused = true;
    if (checks.awaits_answer()) break;
  }
  return nullptr;
}

std::vector<node *> node_search::nodes_to_empty(ask_class &c, const ask &a) {
  scored_order *scored = scored_for(c, *a.owner, scored_order::contents::everything);
  node_order *by = scored != nullptr ? nullptr : order_for(*a.owner);
  if (scored == nullptr && by == nullptr) return {};
  const uint64_t faults = fitness.faults();
  std::map<double, std::vector<node *>> by_part;
  const auto take = [&](uint32_t slot) {
    node &n = *nodes.at(slot);
    if (n.reservations->empty() && fitness.fits_empty(n, c)) by_part[part_to_end(n, c)].push_back(&n);
    return false;
  };
  uint64_t &examined = shared.counters.nodes_examined;
  (void)(scored != nullptr ? scored->first_fit(examined, take) : by->least_lacking(c, examined, take));
  std::vector<node *> out;
  if (fitness.faults() != faults) return out;
  for (const auto &[part, those] : by_part) out.insert(out.end(), those.begin(), those.end());
  return out;
}

double node_search::part_to_end(const node &n, const ask_class &c) const {
  const auto free_then = [&](type_index type) {
    int64_t free = nodes.free(n.slot)[type];
    if (ends_at.empty()) return free;
    for (const allocation *x : n.allocations) {
      const bool ends = x->state == allocation_state::allocated && ends_at.contains(x->sequence);
      if (ends) free = add_saturating(free, classes[x->class_id].need[type]);
    }
    return free;
  };
  double part = 0;
  for (const class_amount &p : c.positive) {
    const int64_t missing = std::max<int64_t>(0, sub_saturating(p.amount, free_then(p.type)));
    part = std::max(part, static_cast<double>(missing) / static_cast<double>(p.amount));
  }
  return part;
}

node_order *node_search::order_for(const application &app) {
  node_sorting &by = sortings.of(app);
  if (by.order->refresh(contexts.now())) return by.order.get();
  fallback.failed(*by.policy);
  return by.order->refresh(contexts.now()) ? by.order.get() : nullptr;
}

scored_order *node_search::scored_for(const ask_class &c, const application &app, scored_order::contents which) {
  node_sorting &by = sortings.of(app);
  if (!by.policy->scores()) return nullptr;
  const call_context now = contexts.now();
  by.states().refresh(static_cast<uint32_t>(now.types.size()));
  node_sorting::score_order &scored = by.scored_for(nodes, c, app, which);
  if (!by.policy->counts_by.empty()) count_for_score(app, *by.policy, scored);
  if (scored.order.refresh(now)) return &scored.order;
  fallback.failed(*by.policy);
  return nullptr;
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
    scored.order.forget_if([&](uint32_t slot) { return now[same.of[slot]] != scored.counts[i][same.of[slot]]; });
    scored.counts[i] = std::move(now);
  }
}

}  // namespace tenon::internal
