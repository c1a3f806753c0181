// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Allocations: made, reported by the resource manager, and released.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::naive {
namespace {

// Of a key, oldest first; proposed ones left out.
std::vector<allocation *> of_key(application *a, std::string_view key) {
  std::vector<allocation *> out;
  if (a == nullptr) return out;
  for (allocation &x : a->allocations) {
    if (x.key == key && !x.is_proposed()) out.push_back(&x);
  }
  return out;
}

std::string application_id(const tenon::put_ask &c) {
  return c.application.empty() ? "@independent/" + std::string(c.key) : std::string(c.application);
}

// The one of these, which are of one ask and live, that the resource manager reports once more; null: another one.
allocation *meant_by(const existing_allocation &c, const std::vector<allocation *> &all, const std::string &node_id) {
  const auto first = [&](auto &&which) {
    const auto found = std::find_if(all.begin(), all.end(), which);
    return found == all.end() ? nullptr : *found;
  };
  if (c.sequence != 0) return first([&](const allocation *x) { return x->sequence == c.sequence; });
  if (c.apart || static_cast<int64_t>(all.size()) < std::max(1, c.ask.max_allocations)) return nullptr;
  allocation *here = first([&](const allocation *x) { return x->node == node_id; });
  return here != nullptr ? here : all.front();
}

}  // namespace

detail_map partition::detail_on(const node &n, const device_map &devices, const ask &k, const detail_map &given) {
  detail_map out = given;
  const division_map divisions = divisions_in(n.attributes);
  for (const auto &[type, free] : devices) {
    const int64_t amount = amount_of(k.resources, type);
    if (amount <= 0 || given.contains(type)) continue;
    const auto chosen = choose_devices(free, divisions.at(type).amount, divisions_in(k.tags), type, amount);
    if (chosen) out[type] = *chosen;
  }
  return out;
}

allocation &partition::make(application &a, const ask &from, const std::string &node_id, const detail_map &given,
                            int64_t bind_ms) {
  allocation x;
  x.sequence = next_allocation++;
  x.key = from.key;
  x.node = node_id;
  x.task_group = from.task_group;
  x.resources = from.resources;
  x.detail = detail_on(nodes.at(node_id), free_devices(nodes.at(node_id)), from, given);
  x.priority = from.priority;
  x.placeholder = from.placeholder;
  x.originator = from.originator;
  x.allow_preempt_self = from.allow_preempt_self;
  x.required_node = from.required_node;
  x.create_time_ms = from.create_time_ms;
  x.bind_time_ms = bind_ms;
  x.execution_timeout_ms = from.execution_timeout_ms;
  a.allocations.push_back(x);
  look_at_most(a);
  return a.allocations.back();
}

void partition::look_at_most(application &a) {
  amount_map real, placeholders;
  for (const allocation &x : a.allocations) add(x.placeholder ? placeholders : real, x.resources);
  for (const auto &now : {real, placeholders}) {
    for (const auto &[type, amount] : now) {
      if (amount > amount_of(a.most_allocated, type)) a.most_allocated[type] = amount;
    }
  }
}

void partition::count_past_use(application &a, const allocation &x, const node &on) const {
  const bool preempted = x.state == allocation_state::preempting;
  const auto what = preempted       ? past_use_kind::preempted
                    : x.placeholder ? past_use_kind::placeholder
                                    : past_use_kind::used;
  const auto type = on.attributes.find("si/instance-type");
  const int64_t seconds = std::max<int64_t>(0, shared.now_ms - x.bind_time_ms) / 1000;
  add(a.amount_seconds[{what, type == on.attributes.end() ? "UNKNOWN" : type->second}], times(x.resources, seconds));
}

allocation &partition::allocate(application &a, const ask &from, const std::string &node_id, const detail_map &given,
                                int64_t bind_ms, std::string text, bool replaces) {
  announce(a, make(a, from, node_id, given, bind_ms), std::move(text), replaces);
  return a.allocations.back();
}

void partition::announce(application &a, allocation x, std::string text, bool replaces) {
  a.counts = true;
  tell(decision_kind::allocated, a, x, termination::unknown, std::move(text));
  if (x.execution_timeout_ms > 0) {
    const int64_t due = std::max(shared.now_ms, x.bind_time_ms + x.execution_timeout_ms);
    shared.arm({due, 0, timer_kind::allocation_execution, this, a.uid, x.sequence});
  }
  look_for_left_over(a, false);
  if (!x.placeholder) {
    const auto is_real = [](const allocation &one) { return !one.placeholder && !one.is_proposed(); };
    const bool first_in_place = replaces && std::count_if(a.allocations.begin(), a.allocations.end(), is_real) == 1;
    if (!first_in_place && a.state != application_state::resuming) fire_run(a, messages::allocation_added());
    return look_at_gang(a);
  }
  time_placeholders(a, x);
  amount_map placeholders;
  for (const allocation &one : a.allocations) {
    if (one.placeholder && !one.is_proposed()) add(placeholders, one.resources);
  }
  const bool all_placed = a.state == application_state::accepted && same_amounts(placeholders, a.placeholder_ask);
  if (all_placed) fire_run(a, messages::gang_complete());
  if (a.state == application_state::completing) fire_run(a, messages::allocation_added());
  look_at_gang(a);
}

void partition::remove_allocation(application &a, uint64_t sequence, bool undone) {
  const auto at = std::find_if(a.allocations.begin(), a.allocations.end(),
                               [&](const allocation &x) { return x.sequence == sequence; });
  const allocation x = *at;
  a.allocations.erase(at);
  if (nodes.contains(x.node) && !x.is_proposed()) count_past_use(a, x, nodes.at(x.node));
  if (!x.is_proposed()) forget_refusals_on(x.node);
  shared.disarm([&](const timer &t) {
    return t.kind == timer_kind::allocation_execution && t.application == a.uid && t.allocation == sequence;
  });
  bool pending_again = false;
  for (ask &k : a.asks) {
    if (undone && k.key == x.key) pending_again = unplace(a, k);
  }
  if (!x.placeholder || pending_again) return;
  placeholder_tally &group = a.placeholder_data[x.task_group];
  ++(x.under_way ? group.replaced : group.timed_out);
}

void partition::expire(application &a, allocation &x, const std::string &text) {
  if (x.state != allocation_state::allocated) return;
  if (x.is_offered()) undo({&a, nullptr, &x}, messages::proposal_placeholder_gone(x.key), true);
  x.state = allocation_state::expiring;
  tell(decision_kind::released, a, x, termination::timeout, text);
}

void partition::tell(decision_kind kind, const application &a, const allocation &x, termination why, std::string text) {
  decision &d = emit(kind, a.id, x.key);
  d.why = why;
  d.placeholder = x.placeholder;
  d.allocation_sequence = x.sequence;
  d.node = x.node;
  d.queue = a.queue;
  d.text = std::move(text);
  d.detail = to_text(x.detail);
}

std::string partition::problem_of_sums(const existing_allocation &c, const std::string &node_id, bool with_node,
                                       existing_sums &before) {
  const amount_map resources = to_map(c.ask.resources);
  wide_map on_node = before.on_node, allocated = before.allocated;
  if (c.foreign) {
    const auto old = foreign.find(std::string(c.ask.key));
    if (old != foreign.end() && old->second.node == node_id) add(on_node, old->second.resources, -1);
  } else {
    const auto all = of_key(find_application(application_id(c.ask)), c.ask.key);
    const allocation *same = with_node ? nullptr : meant_by(c, all, node_id);
    if (same != nullptr && same->node == node_id) {
      add(on_node, same->resources, -1);
      add(allocated, same->resources, -1);
    }
  }
  std::string why = problem_of_sum(on_node, resources);
  if (why.empty() && !c.foreign) why = problem_of_sum(allocated, resources);
  add(before.on_node, resources);
  if (!c.foreign) add(before.allocated, resources);
  return why;
}

std::string partition::problem_of(const existing_allocation &c, const std::string &node_id, bool node_is_known,
                                  bool with_node, existing_sums &before) {
  if (c.ask.key.empty()) return messages::key_empty();
  if (c.foreign) {
    if (node_id.empty()) return messages::foreign_without_node(c.ask.key);
    if (!node_is_known) return messages::foreign_node_not_found(node_id, c.ask.key, near_nodes(node_id));
    if (const named_amount *bad = first_negative(c.ask.resources)) {
      return messages::negative_resources(bad->type, bad->amount);
    }
    if (std::string why = problem_of_size(c.ask.resources); !why.empty()) return why;
    if (std::string why = intern(names_in({c.ask.resources})); !why.empty()) return why;
    std::string why = problem_of_detail(std::string(c.ask.key), std::string(c.detail), to_map(c.ask.resources));
    return why.empty() ? problem_of_sums(c, node_id, with_node, before) : why;
  }
  application *a = find_application(application_id(c.ask));
  if (a == nullptr && !c.ask.application.empty()) return messages::application_not_found(c.ask.application);
  if (a != nullptr && a->state == application_state::failing) {
    return messages::application_has_ended(a->id, tenon::name(a->state));
  }
  if (!node_is_known) return messages::node_not_found(node_id, near_nodes(node_id));
  if (all_zero(to_map(c.ask.resources))) return messages::no_resources();
  if (const named_amount *bad = first_negative(c.ask.resources)) {
    return messages::negative_resources(bad->type, bad->amount);
  }
  if (std::string why = problem_of_size(c.ask.resources); !why.empty()) return why;
  if (std::string why = intern(names_in({c.ask.resources})); !why.empty()) return why;
  const amount_map resources = to_map(c.ask.resources);
  if (std::string why = problem_of_device_tags(c.ask.tags, resources); !why.empty()) return why;
  if (std::string why = problem_of_detail(std::string(c.ask.key), std::string(c.detail), resources); !why.empty()) {
    return why;
  }
  if (!c.ask.priority_class.empty() && !priority_classes.contains(std::string(c.ask.priority_class))) {
    return messages::priority_class_unknown(c.ask.priority_class, class_names());
  }
  const allocation *same = with_node ? nullptr : meant_by(c, of_key(a, c.ask.key), node_id);
  if (same != nullptr && same->node != node_id) return messages::allocation_elsewhere(c.ask.key, node_id);
  if (std::string why = problem_of_sums(c, node_id, with_node, before); !why.empty()) return why;
  if (a != nullptr || placed_ahead.contains(std::string(c.ask.key))) return {};
  application values = independent_of(c.ask);
  std::string why = place_independent(values);
  if (why.empty()) placed_ahead.emplace(c.ask.key, std::move(values));
  return why;
}

// Puts in place what has no problem_of().
void partition::put_existing(const existing_allocation &c, const std::string &node_id, bool with_node) {
  if (c.foreign) {
    if (const auto old = foreign.find(std::string(c.ask.key)); old != foreign.end())
      forget_refusals_on(old->second.node);
    forget_refusals_on(node_id);
    foreign[std::string(c.ask.key)] = {node_id, to_map(c.ask.resources), *parse_detail(std::string(c.detail))};
    return;
  }
  application *a = find_application(application_id(c.ask));
  if (a == nullptr) a = &create_application(std::move(placed_ahead.extract(std::string(c.ask.key)).mapped()));
  undo_all([&](const proposal &p) { return p.owner == a && p.key() == c.ask.key; }, messages::proposal_ask_gone(),
           true);
  if (allocation *x = with_node ? nullptr : meant_by(c, of_key(a, c.ask.key), node_id); x != nullptr) {
    const allocation before = *x;
    x->resources = to_map(c.ask.resources);
    x->detail = c.detail.empty() ? resized(x->detail, x->resources) : *parse_detail(std::string(c.detail));
    look_at_most(*a);
    const bool same = without_zeros(before.resources) == without_zeros(x->resources);
    if (!same || to_text(before.detail) != to_text(x->detail)) forget_refusals_on(node_id);
    look_at_quotas_on(a->queue);
    return;
  }
  ask k = make_ask(c.ask);
  a->submitted_ms = std::min(a->submitted_ms, k.create_time_ms);
  if (a->state == application_state::new_) fire_run(*a, messages::allocation_added());
  const auto waiting = std::find_if(a->asks.begin(), a->asks.end(), [&](const ask &one) { return one.key == k.key; });
  if (waiting == a->asks.end()) {
    k.max_allocations = k.placed = 1;
    judge(*a, k);
    a->asks.push_back(k);
  } else {
    --next_arrival;  // none came
    end_reservation_of(*a, *waiting, messages::reservation_used());
    ++waiting->placed;
    waiting->told.clear();
    waiting->max_allocations = std::max(waiting->max_allocations, waiting->placed);
  }
  const int64_t bind_ms = c.bind_time_ms != 0 ? std::min(c.bind_time_ms, shared.now_ms) : shared.now_ms;
  allocate(*a, k, node_id, *parse_detail(std::string(c.detail)), bind_ms, messages::existing());
  look_at_quotas_on(a->queue);
}

void partition::put_allocation(const tenon::put_allocation &c) {
  const std::string node_id(c.node);
  placed_ahead.clear();
  existing_sums before{on_node(node_id, true), reported_together()};
  const std::string why = problem_of(c.allocation, node_id, nodes.contains(node_id), false, before);
  if (why.empty()) {
    put_existing(c.allocation, node_id, false);
    return look_at_reservations_on(node_id);
  }
  decision &d = emit(decision_kind::allocation_rejected, std::string(c.allocation.ask.application),
                     std::string(c.allocation.ask.key));
  d.node = node_id;
  d.text = why;
}

void partition::release(const tenon::release &c) {
  const std::string key(c.key);
  if (!c.application.empty()) {
    if (application *a = find_application(c.application)) release_from(*a, c);
    return;
  }
  if (!key.empty() && c.what != release_what::asks) {
    if (const auto found = foreign.find(key); found != foreign.end()) {
      const std::string node_id = found->second.node;
      forget_refusals_on(node_id);
      foreign.erase(found);
      return look_at_reservations_on(node_id);
    }
    if (application *a = find_application("@independent/" + key)) release_from(*a, c);
    return;
  }
  std::vector<uint64_t> all;
  for (const auto &a : applications) all.push_back(a->uid);
  for (const uint64_t uid : all) {
    for (const auto &a : applications) {
      if (a->uid == uid) {
        release_from(*a, c);
        break;
      }
    }
  }
}

void partition::start_failed(application &a, const allocation &x) const {
  const partition_tuning &tuning = config.tuning;
  for (ask &k : a.asks) {
    if (k.key != x.key || k.pending() == 0 || tuning.start_retry_ms <= 0) continue;
    failed_starts &there = k.failed_on[x.node];
    ++there.count;
    int64_t wait_ms = tuning.start_retry_ms;
    for (int64_t i = 1; i < there.count && wait_ms < tuning.start_retry_max_ms; ++i)
      wait_ms = mul_saturating(wait_ms, 2);
    there.until_ms = add_saturating(shared.now_ms, std::min(wait_ms, tuning.start_retry_max_ms));
  }
}

void partition::release_from(application &a, const tenon::release &c) {
  const auto wanted = [&](const std::string &key) { return c.key.empty() || c.key == key; };
  // What is on its way to become an allocation is an ask to the resource manager.
  const bool asks_stay = c.what == release_what::allocations;
  bool changed = false, real_went = false;
  if (c.allocation_sequence == 0 && c.limit == 0) {
    const auto of_these = [&](const proposal &p) {
      if (p.owner != &a || !wanted(p.key())) return false;
      real_went |= p.made == nullptr || !p.made->placeholder;
      return true;
    };
    changed = undo_all(of_these, messages::released_by_rm(), asks_stay);
  }
  for (allocation &x : a.allocations) {
    if (c.allocation_sequence != 0 || c.limit != 0 || !x.under_way || !wanted(x.under_way->real.key)) continue;
    break_replacement(a, x, asks_stay);
    changed = real_went = true;
  }
  std::vector<uint64_t> going;
  for (const allocation &x : a.allocations) {
    if (x.is_proposed() && c.limit != 0) continue;
    const bool goes = c.what != release_what::asks && wanted(x.key) && (c.limit == 0 || going.size() < c.limit) &&
                      (c.allocation_sequence == 0 || c.allocation_sequence == x.sequence);
    if (goes) going.push_back(x.sequence);
  }
  for (const uint64_t sequence : going) {
    allocation &there = *std::find_if(a.allocations.begin(), a.allocations.end(),
                                      [&](const allocation &one) { return one.sequence == sequence; });
    if (there.is_offered()) undo({&a, nullptr, &there}, messages::proposal_placeholder_gone(there.key), true);
    const allocation x = there;
    changed = true;
    real_went |= !x.placeholder;
    if (x.is_proposed()) {
      undo({&a, &there, nullptr}, messages::released_by_rm(), c.why == termination::scheduling_failed);
      continue;
    }
    if (c.why == termination::stopped_by_rm || c.why == termination::unknown) {
      tell(decision_kind::released, a, x, c.why, messages::released_by_rm());
    }
    const bool undone = c.why == termination::scheduling_failed && a.state != application_state::failing &&
                        x.state != allocation_state::replacing;
    remove_allocation(a, sequence, undone);
    if (undone) start_failed(a, x);
    take_place(a, x);
  }
  if (c.what != release_what::allocations) {
    for (ask &k : a.asks) {
      if (!wanted(k.key) || k.pending() == 0) continue;
      end_reservation_of(a, k, messages::reservation_ask_gone());
      if (k.placeholder) a.placeholder_data[k.task_group].timed_out += k.pending();
      real_went |= !k.placeholder;
      k.withdrawn = changed = true;
    }
  }
  forget_idle_asks(a);
  if (changed) settle(a, real_went);
}

}  // namespace tenon::naive
