// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placements that the resource manager checks: docs/decisions-proposed.md.
#include <algorithm>
#include <functional>
#include <map>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {

// -- Made. --

void partition::propose(application &a, ask &k, const std::string &node_id, const detail_map &chosen,
                        const std::optional<reservation> &own) {
  allocation &x = make(a, k, node_id, chosen, shared.now_ms);
  x.state = allocation_state::proposed;
  x.reserved = own;
  tell(decision_kind::proposed, a, x, termination::unknown, {});
}

void partition::propose_replacement(application &a, const ask &k, allocation &placeholder, const std::string &node_id,
                                    detail_map detail) {
  const uint64_t number = next_allocation++;
  placeholder.under_way = replacement{k, node_id, std::move(detail), number};
  tell_replacement(decision_kind::proposed, a, placeholder, messages::proposed_in_place(placeholder.key));
}

void partition::tell_replacement(decision_kind kind, const application &a, const allocation &placeholder,
                                 std::string text) {
  const replacement &r = *placeholder.under_way;
  decision &d = emit(kind, a.id, r.real.key);
  d.allocation_sequence = r.number;
  d.node = r.node;
  d.queue = a.queue;
  d.text = std::move(text);
  d.detail = to_text(r.detail);
}

std::vector<partition::proposal> partition::all_proposals() {
  std::vector<proposal> out;
  for (const auto &a : applications) {
    for (allocation &x : a->allocations) {
      if (x.is_proposed()) out.push_back({a.get(), &x, nullptr});
      if (x.is_offered()) out.push_back({a.get(), nullptr, &x});
    }
  }
  std::sort(out.begin(), out.end(), [](const auto &x, const auto &y) { return x.number() < y.number(); });
  return out;
}

// -- Delivered: from then on there is a deadline. --

void partition::arm_check_timers(uint64_t above, uint64_t up_to) {
  const int64_t due = add_saturating(shared.now_ms, check_deadline_ms);
  for (const proposal &p : all_proposals()) {
    if (p.number() > above && p.number() <= up_to)
      shared.arm({due, 0, timer_kind::check, this, p.owner->uid, p.number()});
  }
}

void partition::delivered(const checks_delivered &c) {
  arm_check_timers(delivered_to, c.number);
  delivered_to = std::max(delivered_to, c.number);
}

void partition::stop_check_timers() {
  shared.disarm([this](const timer &t) { return t.kind == timer_kind::check && t.where == this; });
}

// -- Answered. --

void partition::answer_about_reservation(const check_answer &c) {
  application *a = find_application(c.application);
  if (check_deadline_ms <= 0 || a == nullptr || !nodes.contains(std::string(c.node))) return;
  for (ask &k : a->asks) {
    if (k.key != c.key || k.pending() == 0) continue;
    if (!c.accepted) refused.emplace(k.arrival, std::string(c.node));
    k.preempt_from_ms = INT64_MIN;
  }
}

void partition::answer(const check_answer &c) {
  if (!c.key.empty()) return answer_about_reservation(c);
  for (const proposal &p : all_proposals()) {
    if (p.number() != c.number) continue;
    if (!c.accepted) return refuse(p, messages::check_refused(p.node(), c.reason));
    application &a = *p.owner;
    if (p.made != nullptr) {
      p.made->state = allocation_state::allocated;
      p.made->bind_time_ms = shared.now_ms;
      return announce(a, *p.made, {}, false);
    }
    tell(decision_kind::released, a, *p.placeholder, termination::placeholder_replaced, messages::replacing(p.key()));
    p.placeholder->state = allocation_state::replacing;
    p.placeholder->under_way->number = 0;
    return;
  }
}

void partition::refuse(const proposal &p, const std::string &text) {
  for (const ask &k : p.owner->asks) {
    if (k.key == p.key()) refused.emplace(k.arrival, p.node());
  }
  undo(p, text, true);
}

// Nothing was said, so nothing is refused, and what was reserved is so again.
void partition::on_check_timer(uint64_t number) {
  for (const proposal &p : all_proposals()) {
    if (p.number() != number) continue;
    application &a = *p.owner;
    const std::string key = p.key(), node_id = p.node();
    const auto own = p.made == nullptr ? std::nullopt : p.made->reserved;
    undo(p, messages::check_late(node_id), true);
    for (ask &k : a.asks) {
      if (k.key != key || !own || k.pending() == 0 || reservation_of(k) != nullptr) continue;
      const bool may = config.tuning.reservation_enabled || own->freed || !k.required_node.empty();
      if (!may) continue;
      for (const reservation &r : reservations_on(node_id)) {
        const bool gives_way = !r.freed && ask_of_reservation(r).required_node.empty();
        if (own->freed && gives_way) lose_reservation(r.id, messages::reservation_for_preemption(key));
      }
      if (!reservations_on(node_id).empty()) continue;
      reserve(a, k, node_id, own->empties);
      reservations.back().freed = own->freed;
    }
    return;
  }
}

void partition::forget_refusals(std::string_view application, std::string_view key, std::string_view node_id) {
  for (const auto &a : applications) {
    if (!application.empty() && a->id != application) continue;
    for (const ask &k : a->asks) {
      if (!key.empty() && k.key != key) continue;
      std::erase_if(refused, [&](const auto &one) {
        return one.first == k.arrival && (node_id.empty() || one.second == node_id);
      });
    }
  }
}

// -- Ended otherwise. --

void partition::undo(const proposal &p, const std::string &text, bool pending_again) {
  application &a = *p.owner;
  if (p.made != nullptr) {
    tell(decision_kind::undone, a, *p.made, termination::unknown, text);
    remove_allocation(a, p.made->sequence, pending_again);
  } else {
    tell_replacement(decision_kind::undone, a, *p.placeholder, text);
    break_replacement(a, *p.placeholder, pending_again);
  }
  look_for_left_over(a, false);
}

bool partition::undo_all(const which_proposals &which, const std::string &text, bool pending_again) {
  std::vector<uint64_t> numbers;
  for (const proposal &p : all_proposals()) {
    if (which(p)) numbers.push_back(p.number());
  }
  for (const uint64_t number : numbers) {
    for (const proposal &p : all_proposals()) {
      if (p.number() != number) continue;
      undo(p, text, pending_again);
      break;
    }
  }
  return !numbers.empty();
}

// After a command about the node.
void partition::look_at_proposals_on(const std::string &node_id) {
  const node &n = nodes.at(node_id);
  const auto is_unfit = [&](const application &a, const std::string &key) {
    const auto k = std::find_if(a.asks.begin(), a.asks.end(), [&](const ask &one) { return one.key == key; });
    return (!n.schedulable && k->required_node.empty()) || !holds(n, *k) || !attributes_match(*k, n);
  };
  const auto unfit = [&](const proposal &p) { return takes_room_on(node_id, p) && is_unfit(*p.owner, p.key()); };
  undo_all(unfit, messages::proposal_node_unfit(), true);
  while (const std::optional<proposal> p = newest_beyond(node_id)) undo(*p, messages::proposal_node_unfit(), true);
  std::map<uint64_t, std::pair<application *, allocation *>, std::greater<>> coming;
  for (const auto &a : applications) {
    for (allocation &x : a->allocations) {
      const bool comes = x.under_way && x.under_way->number == 0 && x.under_way->node == node_id && x.node != node_id;
      if (comes) coming.emplace(x.sequence, std::pair(a.get(), &x));
    }
  }
  for (const auto &[sequence, one] : coming) {
    if (is_unfit(*one.first, one.second->under_way->real.key)) break_replacement(*one.first, *one.second, true);
  }
  for (const auto &[sequence, one] : coming) {
    const bool goes_on = one.second->under_way.has_value();
    if (goes_on && lacks_room(node_id, one.second->under_way->real.resources))
      break_replacement(*one.first, *one.second, true);
  }
}

bool partition::takes_room_on(const std::string &node_id, const proposal &p) {
  return p.node() == node_id && (p.made != nullptr || p.placeholder->node != node_id);
}

// More is taken there than the node has, of a type of these.
bool partition::lacks_room(const std::string &node_id, const amount_map &needs) const {
  const amount_map free = measure().free_on_node.at(node_id);
  return std::any_of(needs.begin(), needs.end(),
                     [&](const auto &one) { return one.second > 0 && amount_of(free, one.first) < 0; });
}

// Of those that take room there, where that is more than the node has.
std::optional<partition::proposal> partition::newest_beyond(const std::string &node_id) {
  std::optional<proposal> out;
  for (const proposal &p : all_proposals()) {
    const amount_map &needs = p.made != nullptr ? p.made->resources : p.placeholder->under_way->real.resources;
    if (takes_room_on(node_id, p) && lacks_room(node_id, needs)) out = p;
  }
  return out;
}

}  // namespace tenon::naive
