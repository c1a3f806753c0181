// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The cycle: one decision at a time, from the root's best child down to an ask and a node. A look that
// fails parks what failed, so every turn of the loop either decides or leaves less to look at.
#include <algorithm>

#include "partition.hpp"

namespace tenon::internal {

bool partition::has_work() const {
  return !paused && state != object_state::stopped &&
         (reservations.has_work() || gangs.has_work() || !ready.empty() || keys.has_stale());
}

bool partition::decide() {
  if (paused || state == object_state::stopped) return false;
  if (!shared.told.empty()) fail_as_told();
  keys.begin_periods(shared.now_ms);
  return reservations.decide() || gangs.decide() || decide_ask();
}

bool partition::decide_ask() {
  if (fair_max_stale) {
    fair_max_stale = false;
    refresh_fair_max(*root);
  }
  keys.flush_stale();
  while (leaf_class *u = ready.next()) {
    if (try_unit(*u)) return true;
  }
  return false;
}

bool partition::try_unit(leaf_class &u) {
  app_class &g = *u.ready.top();
  application &app = *g.owner;
  ask &a = *g.first();
  ask_class &c = classes[u.class_id];
  ++shared.counters.asks_examined;
  checks.begin_look();
  if (ready.hold_back(app)) return false;
  type_index type = no_type;
  if (usage_node *full = limits.blocking(app, c, type); full != nullptr) {
    ready.park_on_limit(g, *full, type);
    return false;
  }
  queue *full = blocking_queue(*u.leaf, c, type);
  bool refused = false;
  if (!c.required_node.empty()) {
    if (full == nullptr && reservations.try_required(a, c, refused)) return true;
  } else {
    if (full == nullptr && !c.blocked) {
      if (node *n = search(c, a, refused); n != nullptr) {
        commit(a, *n);
        return true;
      }
      if (!refused) ready.block(c);
    }
    if (a.preempt_other && preemption.try_for(a)) return true;
    if (full == nullptr && reservations.try_to_reserve(a, c, refused)) return true;
  }
  if (refused) {  // nodes would do, the RM wants none of them: only this ask waits
    lines.set_aside(a);
  } else if (u.kind == unit_kind::urgent) {
    lines.move_to(a, alarms.kind_for(a));
  } else if (full != nullptr) {
    ready.park_on_queue(u, *full, type);
  } else {
    ready.park_on_nodes(u, u.kind == unit_kind::mature && config.tuning.reservation_enabled);
  }
  return false;
}

// The first node that holds the ask and may be used for it. Its own reserved one is open to it.
node *partition::search(ask_class &c, ask &a, bool &refused) {
  ++shared.counters.node_searches;
  const auto will_do = [&](node &n) {
    if (!n.reservations.empty() && !reservations.may_use(a, c, n)) return false;
    if (!passes(c, n.slot)) return false;
    const bool ok = checks.agrees(a, n, true);
    refused |= !ok;
    return ok;
  };
  if (!c.required_node.empty()) {
    node *n = nodes.find(c.required_node);
    if (n == nullptr) return nullptr;
    ++shared.counters.nodes_examined;
    return nodes.holds(c, n->slot) && will_do(*n) ? n : nullptr;
  }
  node_order *by = order_for(c, *a.owner);
  if (by == nullptr) return nullptr;
  reservation *own = reservations.of(a);
  if (own != nullptr && nodes.usable(own->where->slot)) {
    nodes.close(own->where->slot, false);
    by->opened(own->where->slot);
  }
  const uint32_t slot = by->first_fit(c, shared.counters.nodes_examined,
                                      [&](uint32_t candidate) { return will_do(*nodes.at(candidate)); });
  if (own != nullptr) nodes.close(own->where->slot, reservations.keeps_others_out(*own->where));
  return slot == node_order::no_slot ? nullptr : nodes.at(slot);
}

bool partition::passes(const ask_class &c, uint32_t slot) {
  if (c.judged == nullptr) return true;
  verdict_set &v = *c.judged;
  if (v.verdicts.size() <= slot || v.verdicts[slot] == verdict_set::unknown) judge(v, c.need);
  return v.verdicts[slot] == verdict_set::pass;
}

void partition::judge(verdict_set &v, const resources &need) {
  v.verdicts.resize(nodes.slots(), verdict_set::unknown);
  v.reasons.resize(nodes.slots(), 0);
  std::vector<uint32_t> open;
  for (uint32_t slot = 0; slot < nodes.slots(); ++slot) {
    if (nodes.at(slot) != nullptr && v.verdicts[slot] == verdict_set::unknown) open.push_back(slot);
  }
  for (const uint32_t slot : open) v.verdicts[slot] = verdict_set::pass;
  const ask_facts facts{need, v.priority, v.tags};
  uint16_t first_reason = 0;
  for (node_predicate &p : predicates) {
    std::vector<uint8_t> verdicts(open.size(), TENON_FAIL);
    std::vector<uint16_t> reasons(open.size(), 0);
    // Fails closed: the node does not fit.
    const auto fails = [&] {
      const auto words = [&] { return fault_words("predicate", p.bound->name + " for asks like " + v.first_key); };
      if (!shared.told.empty() && shared.told_to_fail(words())) return shared.note_fault(words()), true;
      if (filter_nodes(p, context(), nodes, facts, open, verdicts.data(), reasons.data())) return false;
      return shared.note_fault(words()), true;
    };
    if (!open.empty() && fails()) {
      ++shared.counters.policy_faults;
      std::fill(verdicts.begin(), verdicts.end(), uint8_t{TENON_FAIL});
      std::fill(reasons.begin(), reasons.end(), uint16_t{0});
    }
    std::vector<uint32_t> passed;
    for (size_t i = 0; i < open.size(); ++i) {
      if (verdicts[i] == TENON_PASS) {
        passed.push_back(open[i]);
        continue;
      }
      v.verdicts[open[i]] = static_cast<uint8_t>(1 + std::min<uint8_t>(verdicts[i], TENON_FAIL_UNRESOLVABLE));
      const bool known = reasons[i] != 0 && reasons[i] <= p.bound->reasons.size();
      v.reasons[open[i]] = static_cast<uint16_t>(first_reason + (known ? reasons[i] : 0));
    }
    open.swap(passed);
    first_reason = static_cast<uint16_t>(first_reason + p.bound->reasons.size() + 1);
  }
}

namespace {

std::string_view kind_of(const sort_policy &policy) {
  switch (policy.kind) {
    case policy_kind::queue_sort:
      return "queue order";
    case policy_kind::app_sort:
      return "application order";
    default:
      return policy.chosen ? "node order of applications" : "node order";
  }
}

}  // namespace

std::string partition::fault_words(std::string_view kind, std::string_view policy) const {
  return std::string(kind) + ' ' + std::string(policy) + " in " + name;
}

// A module's fault is an answer from outside: what a record says of it holds, whatever the module does now.
void partition::fail_as_told() {
  const auto fail = [&](sort_policy &policy) {
    if (!policy.faulty && shared.told_to_fail(fault_words(kind_of(policy), policy.bound->name))) {
      policy_failed(policy);
    }
  };
  for_each_sorting([&](node_sorting &by) { fail(*by.policy); });
  for (auto &[policy_name, policy] : queue_policies) fail(*policy);
  for (auto &[policy_name, policy] : app_policies) fail(*policy);
}

void partition::policy_failed(sort_policy &policy) {
  ++shared.counters.policy_faults;
  if (policy.faulty) return;  // the fallback itself cannot fail
  auto wrapped = wrap_sort_policy(policy.kind, shared.policies.fallback(policy.kind, types.limit()));
  const uint64_t calls = policy.calls, faults = policy.faults;
  const bool chosen = policy.chosen;
  shared.note_fault(fault_words(kind_of(policy), policy.bound->name));
  retired_policies.push_back(std::make_unique<sort_policy>(std::move(policy)));
  policy = std::move(**wrapped);
  policy.calls = calls;
  policy.faults = faults;
  policy.faulty = true;
  policy.chosen = chosen;
  keys.restart(policy);
}

}  // namespace tenon::internal
