// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gangs: docs/decisions-gangs.md.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::naive {
namespace {

bool runs(const application &a) {
  return a.state == application_state::accepted || a.state == application_state::starting ||
         a.state == application_state::running;
}

bool is_held(const allocation &x) { return x.placeholder && x.state == allocation_state::allocated; }

struct placeholder_count {
  uint64_t allocated = 0, pending = 0;
};

// One that is proposed is as good as pending.
placeholder_count count_placeholders(const application &a) {
  placeholder_count out;
  for (const ask &k : a.asks) {
    if (k.placeholder) out.pending += static_cast<uint64_t>(k.pending());
  }
  for (const allocation &x : a.allocations) {
    if (x.placeholder) ++(x.is_proposed() ? out.pending : out.allocated);
  }
  return out;
}

bool covers(const amount_map &placeholder, const amount_map &real) {
  return std::all_of(real.begin(), real.end(),
                     [&](const auto &item) { return item.second <= amount_of(placeholder, item.first); });
}

}  // namespace

bool partition::waits_for_placeholders(const application &a, const ask &k) const {
  if (k.placeholder || k.task_group.empty()) return false;
  return std::any_of(
             a.asks.begin(), a.asks.end(),
             [&](const ask &one) { return one.placeholder && one.task_group == k.task_group && one.pending() > 0; }) ||
         std::any_of(a.allocations.begin(), a.allocations.end(),
                     [&](const allocation &x) { return x.placeholder && x.task_group == k.task_group; });
}

bool partition::decide_replacement(const usage &used) {
  for (const auto &a : applications) {
    if (!runs(*a) || in_stopped_queue(*a)) continue;
    std::vector<ask *> asks;
    for (ask &k : a->asks) {
      if (k.pending() > 0 && !k.placeholder && !k.task_group.empty()) asks.push_back(&k);
    }
    std::sort(asks.begin(), asks.end(), [](const ask *x, const ask *y) { return tried_before(*x, *y); });
    for (ask *k : asks) {
      if (replace_one(*a, *k, used)) return true;
    }
  }
  return false;
}

// Nothing when the ask needs other devices than the placeholder has.
std::optional<detail_map> partition::taken_over(const allocation &placeholder, const ask &k) const {
  const division_map divisions = divisions_in(nodes.at(placeholder.node).attributes);
  detail_map out;
  for (const auto &[type, held] : placeholder.detail) {
    const int64_t amount = amount_of(k.resources, type);
    if (amount <= 0 || !divisions.contains(type)) continue;
    std::vector<int64_t> left(64, 0);
    for (const int64_t device : held.devices) left[static_cast<size_t>(device)] = held.amount;
    const auto chosen = choose_devices(left, divisions.at(type).amount, divisions_in(k.tags), type, amount);
    if (!chosen) return std::nullopt;
    out[type] = *chosen;
  }
  return out;
}

bool partition::replace_one(application &a, ask &k, const usage &used) {
  std::vector<allocation *> placeholders;
  for (allocation &x : a.allocations) {
    if (is_held(x) && !x.is_offered() && x.task_group == k.task_group) placeholders.push_back(&x);
  }
  bool too_small = false;
  for (allocation *x : placeholders) {
    if (covers(x->resources, k.resources)) continue;
    expire(a, *x, messages::placeholder_too_small());
    too_small = true;
  }
  if (too_small) return true;
  for (allocation *x : placeholders) {
    const bool allowed = k.required_node.empty() || k.required_node == x->node;
    const auto devices = taken_over(*x, k);
    if (!allowed || !devices || !predicates_pass(a, k, nodes.at(x->node), false)) continue;
    replace(a, k, *x, x->node, *devices);
    return true;
  }
  const node *elsewhere = placeholders.empty() ? nullptr : choose_node(a, k, used);
  if (elsewhere == nullptr) return false;
  const bool same_node = elsewhere->id == placeholders.front()->node;
  replace(a, k, *placeholders.front(), elsewhere->id,
          detail_on(*elsewhere, used.free_devices.at(elsewhere->id), k,
                    same_node ? detail_map() : chosen_by_order(a, k, *elsewhere, used)));
  return true;
}

void partition::replace(application &a, ask &k, allocation &placeholder, const std::string &node_id,
                        detail_map detail) {
  end_reservation_of(a, k, messages::reservation_used());
  if (check_deadline_ms > 0) {
    propose_replacement(a, k, placeholder, node_id, std::move(detail));
  } else {
    tell(decision_kind::released, a, placeholder, termination::placeholder_replaced, messages::replacing(k.key));
    placeholder.state = allocation_state::replacing;
    placeholder.under_way = replacement{k, node_id, std::move(detail)};
  }
  ++k.placed;
  k.told.clear();
}

void partition::look_at_gang(application &a) {
  if (a.state != application_state::accepted || !a.has_real() || count_placeholders(a).pending != 0) return;
  fire_run(a, messages::gang_runs());
}

void partition::take_place(application &a, const allocation &gone) {
  if (!gone.under_way) return;
  allocate(a, gone.under_way->real, gone.under_way->node, gone.under_way->detail, shared.now_ms, {}, true);
}

void partition::break_replacement(application &a, allocation &placeholder, bool pending_again) {
  if (!placeholder.under_way) return;
  for (ask &k : a.asks) {
    if (pending_again && k.key == placeholder.under_way->real.key) unplace(a, k);
  }
  placeholder.under_way.reset();
}

bool partition::begins_whole(const application &a) const {
  const auto &properties = find_queue(a.queue)->properties;
  const auto of_queue = properties.find("gang.start");
  const std::string by_tag = lower(tag_of(a.tags, "tenon/gang-start"));
  if (by_tag == "whole" || by_tag == "piecewise") return by_tag == "whole";
  const std::string by_queue = of_queue == properties.end() ? std::string() : lower(of_queue->second);
  return by_queue == "whole" || (by_queue != "piecewise" && a.hard_gang);
}

bool partition::waits_to_begin(const application &a) const {
  int64_t pending = 0;
  for (const ask &k : a.asks) pending += k.placeholder ? k.pending() : 0;
  return runs(a) && begins_whole(a) && (pending > 1 || !has_come(a));
}

bool partition::has_come(const application &a) {
  return has_begun(a) || covers(pending_placeholders_of(a), a.placeholder_ask);
}

bool partition::has_begun(const application &a) {
  if (a.state == application_state::accepted) return a.first_bind_ms.has_value();
  const auto is_of_group = [](const allocation &x) {
    const bool ends = x.state == allocation_state::preempting || x.state == allocation_state::expiring;
    return x.placeholder || (!x.task_group.empty() && !ends);
  };
  return std::any_of(a.allocations.begin(), a.allocations.end(), is_of_group) ||
         std::any_of(a.placeholder_data.begin(), a.placeholder_data.end(),
                     [](const auto &item) { return item.second.replaced > 0; });
}

amount_map partition::pending_placeholders_of(const application &a) {
  amount_map out;
  for (const ask &k : a.asks) {
    if (k.placeholder) add(out, times(k.resources, k.pending()));
  }
  return out;
}

// The nearest queue that is guaranteed some of it has enough left for all of its placeholders.
bool partition::is_guaranteed_whole(const application &a, const usage &used) const {
  const amount_map all = pending_placeholders_of(a);
  std::vector<std::string> path = path_down(a.queue);
  for (; !path.empty(); path.pop_back()) {
    const tally of = used.of_queue(path.back());
    bool says = false, enough = true;
    for (const auto &[type, guaranteed] : find_queue(path.back())->guaranteed) {
      const int64_t wanted = amount_of(all, type);
      if (wanted <= 0) continue;
      says = true;
      const int64_t in_use = sub_saturating(amount_of(of.allocated, type), amount_of(of.ending, type));
      enough &= wanted <= sub_saturating(guaranteed, add_saturating(in_use, amount_of(of.claimed, type)));
    }
    if (says) return enough;
  }
  return false;
}

// `used` is a copy, in which each placeholder counts for those behind it.
bool partition::begin_whole(application &a, usage used) {
  const std::vector<ask *> in_order = sorted_asks(a);
  const auto first = std::find_if(in_order.begin(), in_order.end(), [](const ask *k) { return k->placeholder; });
  if (!has_come(a) || whole_lacks(a, **first, used) != lack::nothing) return false;
  struct where_to {
    ask *what;
    std::string node;
    detail_map chosen;
  };
  std::vector<where_to> all;
  for (ask *k : in_order) {
    if (!k->placeholder) continue;
    refused_at_turn.clear();
    for (int32_t left = k->pending(); left > 0; --left) {
      if (!within_limits(a, *k, used) || !within_max(a, *k, used)) return false;
      const node *n = k->required_node.empty() ? choose_node(a, *k, used) : required_node_now(a, *k, used);
      if (n == nullptr) return false;
      const detail_map chosen = k->required_node.empty() ? chosen_by_order(a, *k, *n, used) : detail_map();
      all.push_back({k, n->id, chosen});
      put_on(*k, *n, chosen, used);
      count(a, *k, used);
    }
  }
  if (const std::vector<reservation> of_gang = reservations_of_gang(a); !of_gang.empty())
    end_reservation(of_gang.front().id, messages::reservation_used());
  for (const where_to &one : all) place(a, *one.what, one.node, one.chosen);
  return true;
}

partition::lack partition::whole_lacks(const application &a, const ask &first, const usage &used) const {
  if (!has_come(a)) return lack::nothing;
  for (const ask &k : a.asks) {
    if (k.placeholder && k.pending() > 0 && (!k.required_node.empty() || reservation_of(k) != nullptr))
      return lack::nothing;
  }
  ask all = first;
  all.resources = pending_placeholders_of(a);
  if (!within_limits(a, all, used)) return lack::limits;
  return within_max(a, all, used) ? lack::nothing : lack::headroom;
}

void partition::put_on(const ask &k, const node &n, const detail_map &chosen, usage &used) {
  take(used.free_devices.at(n.id), detail_on(n, used.free_devices.at(n.id), k, chosen));
  subtract(used.free_on_node.at(n.id), k.resources);
  add(used.on_node[n.id], k.resources);
}

const node *partition::required_node_now(const application &a, const ask &k, const usage &used) {
  const auto found = nodes.find(k.required_node);
  if (found == nodes.end()) return nullptr;
  const auto there = reservations_on(found->first);
  const bool kept = std::any_of(there.begin(), there.end(), [&](const reservation &r) {
    const auto &asks = find_application(r.application)->asks;
    return std::any_of(asks.begin(), asks.end(),
                       [&](const ask &one) { return one.arrival == r.ask && !one.required_node.empty(); });
  });
  const bool fits = !kept && fits_in(found->second, free_on(found->second, used), k);
  return fits && predicates_pass(a, k, found->second, true) ? &found->second : nullptr;
}

void partition::arm_placeholder_timer(application &a, int64_t from_ms) {
  if (!shared.has.gangs) return;
  shared.disarm([&](const timer &t) { return t.application == a.uid && t.kind == timer_kind::placeholders; });
  const bool own = !a.placeholder_ask.empty() && a.execution_timeout_ms > 0;
  const int64_t timeout_ms = own ? a.execution_timeout_ms : config.tuning.placeholder_timeout_ms;
  const int64_t said_ms = a.state == application_state::accepted && !begins_whole(a) ? a.created_ms : 0;
  const int64_t due = add_saturating(said_ms > 0 ? said_ms : from_ms, timeout_ms);
  shared.arm({std::max(shared.now_ms, due), 0, timer_kind::placeholders, this, a.uid, 0});
}

void partition::time_placeholders(application &a, const allocation &placed) {
  const bool accepted = a.state == application_state::accepted;
  const bool first = accepted && (!a.first_bind_ms || placed.bind_time_ms < *a.first_bind_ms);
  if (first) a.first_bind_ms = placed.bind_time_ms;
  if (accepted) a.had_placeholder = true;
  const bool runs_out = std::any_of(shared.timers.begin(), shared.timers.end(), [&](const timer &t) {
    return t.application == a.uid && t.kind == timer_kind::placeholders;
  });
  const bool in_time = runs(a) || a.state == application_state::completing || a.state == application_state::resuming;
  if (first || (in_time && !runs_out)) arm_placeholder_timer(a, placed.bind_time_ms);
}

void partition::on_placeholder_timer(application &a) {
  const bool held = std::any_of(a.allocations.begin(), a.allocations.end(), is_held);
  if (!held && count_placeholders(a).pending == 0) return;
  const auto count = [&](bool proposed) {
    return std::count_if(a.allocations.begin(), a.allocations.end(),
                         [&](const allocation &x) { return x.placeholder && x.is_proposed() == proposed; });
  };
  const bool has_begun = count(false) != 0 || a.first_bind_ms || !begins_whole(a);
  if (!has_begun && (count(true) != 0 || has_come(a))) return;
  const bool comes_to_work = std::any_of(a.allocations.begin(), a.allocations.end(),
                                         [](const allocation &x) { return x.under_way && !x.is_offered(); });
  const bool fails = a.hard_gang && !a.has_real() && !comes_to_work;
  if (fails || a.state == application_state::accepted) {
    const auto [allocated, pending] = count_placeholders(a);
    fire(a, fails ? application_event::fail : application_event::resume,
         messages::reservation_timeout(since(a), tenon::name(a.state), allocated, pending));
  }
  if (a.state == application_state::failing) {
    for (allocation &x : a.allocations) expire(a, x, messages::placeholders_timed_out());
    drop_asks(a, termination::timeout, messages::pending_placeholders_timed_out());
  } else {
    undo_placeholders(a, messages::placeholders_timed_out());
    release_placeholders(a, messages::placeholders_timed_out());
    drop_asks(a, termination::timeout, messages::pending_placeholders_timed_out(), true);
  }
  settle(a);
}

void partition::release_placeholders(application &a, const std::string &text) {
  for (allocation &x : a.allocations) {
    if (x.placeholder) expire(a, x, text);
  }
}

bool partition::undo_placeholders(application &a, const std::string &text) {
  const auto is_placeholder = [&](const proposal &p) {
    return p.owner == &a && p.made != nullptr && p.made->placeholder;
  };
  return undo_all(is_placeholder, text, true);
}

void partition::look_for_left_over(application &a, bool real_went) {
  if (!shared.has.gangs) return;
  const bool busy = a.state == application_state::starting || a.state == application_state::running;
  const bool only_placeholders = std::all_of(a.allocations.begin(), a.allocations.end(),
                                             [](const allocation &x) { return x.placeholder && !x.under_way; });
  const bool left_over = busy && !a.has_pending() && only_placeholders && !a.allocations.empty();
  if (!left_over) {
    shared.disarm(
        [&](const timer &t) { return t.application == a.uid && t.kind == timer_kind::left_over_placeholders; });
    a.left_over = false;
  } else if (real_went && !a.left_over) {
    a.left_over = true;
    const int64_t due = add_saturating(shared.now_ms, config.tuning.completing_timeout_ms);
    shared.arm({due, 0, timer_kind::left_over_placeholders, this, a.uid, 0});
  }
}

}  // namespace tenon::naive
