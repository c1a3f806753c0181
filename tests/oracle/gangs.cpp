// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gangs: docs/decisions-gangs.md.
#include <algorithm>
#include <cstdlib>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {
namespace {

bool runs(const application &a) {
  return a.state == application_state::accepted || a.state == application_state::starting ||
         a.state == application_state::running;
}

bool is_held(const allocation &x) { return x.placeholder && x.state == allocation_state::allocated; }

// When the application was created, as its resource manager says; 0 when it does not.
int64_t creation_ms(const application &a) {
  const std::string text = tag_of(a.tags, "yunikorn.apache.org/creationTime");
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos) return 0;
  return mul_saturating(std::atoll(text.c_str()), 1'000);
}

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
  end_reservation_of(k, messages::reservation_used());
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
  const bool real = std::any_of(a.allocations.begin(), a.allocations.end(),
                                [](const allocation &x) { return !x.placeholder && !x.is_proposed(); });
  if (a.state != application_state::accepted || !real || count_placeholders(a).pending != 0) return;
  fire_run(a, messages::gang_runs());
}

void partition::take_place(application &a, const allocation &gone) {
  if (!gone.under_way) return;
  allocate(a, gone.under_way->real, gone.under_way->node, gone.under_way->detail, shared.now_ms, {}, true);
}

void partition::break_replacement(application &a, allocation &placeholder, bool pending_again) {
  if (!placeholder.under_way) return;
  for (ask &k : a.asks) {
    if (!pending_again || k.key != placeholder.under_way->real.key) continue;
    --k.placed;
    k.told.clear();
  }
  placeholder.under_way.reset();
}

void partition::arm_placeholder_timer(application &a, int64_t from_ms) {
  if (!shared.has.gangs) return;
  shared.disarm([&](const timer &t) { return t.application == a.uid && t.kind == timer_kind::placeholders; });
  const bool own = !a.placeholder_ask.empty() && a.execution_timeout_ms > 0;
  const int64_t timeout_ms = own ? a.execution_timeout_ms : config.tuning.placeholder_timeout_ms;
  const int64_t said_ms = creation_ms(a);
  const int64_t due = add_saturating(said_ms > 0 ? said_ms : from_ms, timeout_ms);
  shared.arm({std::max(shared.now_ms, due), 0, timer_kind::placeholders, this, a.uid, 0});
}

void partition::on_placeholder_timer(application &a) {
  const bool held = std::any_of(a.allocations.begin(), a.allocations.end(), is_held);
  if (!held && count_placeholders(a).pending == 0) return;
  if (a.state == application_state::accepted) {
    const auto [allocated, pending] = count_placeholders(a);
    fire(a, a.hard_gang ? application_event::fail : application_event::resume,
         messages::reservation_timeout(since(a), allocated, pending));
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
