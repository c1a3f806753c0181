// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Asks: intake and replacement.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::naive {

int32_t partition::live_allocations(const application &a, std::string_view key) {
  int32_t count = 0;
  for (const allocation &x : a.allocations) {
    count += x.key == key ? 1 : 0;
    count += x.under_way && x.under_way->real.key == key ? 1 : 0;  // both may be of one key
  }
  return count;
}

std::vector<std::string_view> partition::class_names() const {
  std::vector<std::string_view> out;
  for (const auto &[known, priority] : priority_classes) out.push_back(known);
  return out;
}

std::string partition::problem_of(const tenon::put_ask &c, std::string_view application_id) {
  if (c.key.empty()) return messages::key_empty();
  const application *a = find_application(application_id);
  if (a == nullptr && !c.application.empty()) return messages::application_not_found(c.application);
  const std::string has_ended = a != nullptr && a->state == application_state::failing
                                    ? messages::application_has_ended(application_id, tenon::name(a->state))
                                    : std::string();
  if (!has_ended.empty() && !c.application.empty()) return has_ended;
  if (all_zero(to_map(c.resources))) return messages::no_resources();
  if (const named_amount *bad = first_negative(c.resources)) {
    return messages::negative_resources(bad->type, bad->amount);
  }
  if (c.max_allocations < 1) return messages::no_allocations_wanted(c.max_allocations);
  if (std::string why = problem_of_size(c.resources); !why.empty()) return why;
  if (std::string why = intern(names_in({c.resources})); !why.empty()) return why;
  if (std::string why = problem_of_sums(c, application_id); !why.empty()) return why;
  if (std::string why = problem_of_device_tags(c.tags, to_map(c.resources)); !why.empty()) return why;
  if (!c.priority_class.empty() && !priority_classes.contains(std::string(c.priority_class))) {
    return messages::priority_class_unknown(c.priority_class, class_names());
  }
  return has_ended;  // of an independent ask: who names no application learns of it last
}

application partition::independent_of(const tenon::put_ask &c) {
  application a;
  a.id = "@independent/" + std::string(c.key);
  a.user = "nobody";
  a.groups = {"nogroup"};
  a.independent = true;
  for (const named_text &tag : c.tags) a.tags.emplace(tag.key, tag.value);
  return a;
}

std::string partition::place_independent(application &a) {
  if (state != object_state::active) return messages::application_to_stopped_partition(name, a.id, tenon::name(state));
  const std::string why = place(a);
  return why.empty() ? why : messages::placement_failed(a.id, why);
}

ask partition::make_ask(const tenon::put_ask &c) {
  ask k;
  k.key = c.key;
  k.resources = to_map(c.resources);
  k.priority = c.priority_class.empty() ? c.priority : priority_classes.at(std::string(c.priority_class));
  k.max_allocations = c.max_allocations;
  k.arrival = next_arrival++;
  k.create_time_ms = c.create_time_ms != 0 ? std::min(c.create_time_ms, shared.now_ms) : shared.now_ms;
  k.execution_timeout_ms = c.execution_timeout_ms;
  for (const named_text &tag : c.tags) k.tags.emplace(tag.key, tag.value);
  k.task_group = c.task_group;
  k.required_node = c.required_node;
  k.priority_class = c.priority_class;
  k.placeholder = c.placeholder && !c.task_group.empty();
  k.originator = c.originator;
  k.allow_preempt_self = c.allow_preempt_self;
  k.allow_preempt_other = c.allow_preempt_other;
  return k;
}

void partition::forget_idle_asks(application &a) {
  std::erase_if(a.asks, [&](const ask &k) { return k.pending() == 0 && live_allocations(a, k.key) == 0; });
}

bool partition::says_the_same(const application &a, const ask &old, const tenon::put_ask &c) {
  const uint64_t next = next_arrival;
  const ask k = make_ask(c);
  next_arrival = next;
  return !old.withdrawn && old.key == k.key && old.placed == live_allocations(a, k.key) &&
         same_amounts(old.resources, k.resources) && old.priority == k.priority &&
         old.priority_class == k.priority_class && old.max_allocations == k.max_allocations &&
         old.execution_timeout_ms == k.execution_timeout_ms &&
         (c.create_time_ms == 0 || old.create_time_ms == k.create_time_ms) && old.tags == k.tags &&
         old.task_group == k.task_group && old.required_node == k.required_node && old.placeholder == k.placeholder &&
         old.originator == k.originator && old.allow_preempt_self == k.allow_preempt_self &&
         old.allow_preempt_other == k.allow_preempt_other;
}

void partition::put_ask(const tenon::put_ask &c) {
  const auto refuse = [&](std::string why) {
    emit(decision_kind::ask_rejected, std::string(c.application), std::string(c.key)).text = std::move(why);
  };
  const std::string id = c.application.empty() ? "@independent/" + std::string(c.key) : std::string(c.application);
  std::string why = problem_of(c, id);
  if (!why.empty()) return refuse(why);
  application *a = find_application(id);
  if (a == nullptr) {
    application values = independent_of(c);
    if (why = place_independent(values); !why.empty()) return refuse(why);
    a = &create_application(std::move(values));
  }
  const auto same =
      std::find_if(a->asks.begin(), a->asks.end(), [&](const ask &old) { return says_the_same(*a, old, c); });
  if (same != a->asks.end()) return;
  count_shape(c);
  undo_all([&](const proposal &p) { return p.owner == a && p.key() == c.key; }, messages::proposal_ask_gone(), true);
  ask k = make_ask(c);
  judge(*a, k);
  k.placed = live_allocations(*a, k.key);
  const bool more = k.pending() > 0;
  a->submitted_ms = std::min(a->submitted_ms, k.create_time_ms);
  std::erase_if(a->asks, [&](const ask &old) {
    if (old.key != k.key) return false;
    end_reservation_of(*a, old, messages::reservation_ask_gone());
    k.failed_on = old.failed_on;
    return true;
  });
  a->asks.push_back(std::move(k));
  forget_idle_asks(*a);
  look_for_left_over(*a, false);
  const bool idle = a->state == application_state::new_ || a->state == application_state::completing;
  if (more && a->state == application_state::completing && is_full_for(*a)) {
    return fire(*a, application_event::wait, messages::ask_added());
  }
  if (more && idle) return fire_run(*a, messages::ask_added());
  settle(*a);
}

}  // namespace tenon::naive
