// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Asks: intake, replacement, withdrawal, and their place in an application's runs.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::string partition::check_amounts(std::initializer_list<named_amounts> lists) {
  for (const named_amounts &list : lists) {
    for (const named_amount &item : list.from) {
      if (item.amount < 0) return messages::negative_amount(item.type);
    }
  }
  std::vector<std::string_view> fresh;
  for (const named_amounts &list : lists) {
    for (const named_amount &item : list.from) {
      if (const type_index known = types.find(item.type); known != no_type) {
        list.to.set(known, item.amount);
        continue;
      }
      if (std::find(fresh.begin(), fresh.end(), item.type) != fresh.end()) continue;
      fresh.push_back(item.type);
      if (types.count() + fresh.size() > types.limit()) {
        return messages::too_many_resource_types(item.type, types.limit());
      }
    }
  }
  if (fresh.empty()) return {};
  for (const named_amounts &list : lists) {
    for (const named_amount &item : list.from) list.to.set(types.intern(item.type), item.amount);
  }
  types_grew();
  return {};
}

void partition::types_grew() {
  contexts.name_types(types);
  for (const auto &[node_id, n] : nodes.by_id()) apply(node_stored{*n});
  if (sortings.own.order != nullptr) sortings.for_each_order([](node_order &order) { order.touch_all(); });
}

std::string partition::check_need(amounts from, resources &out) {
  const auto zero = [](const named_amount &item) { return item.amount == 0; };
  if (std::all_of(from.begin(), from.end(), zero)) return messages::no_resources();
  if (std::any_of(from.begin(), from.end(), [](const named_amount &item) { return item.amount < 0; })) {
    return messages::negative_resources();
  }
  std::string problem = check_amounts({{from, out}});
  out.prune();
  return problem;
}

std::string partition::check_priority(std::string_view class_name, int32_t &priority) const {
  if (class_name.empty()) return {};
  const auto found = priority_classes.find(std::string(class_name));
  if (found == priority_classes.end()) return messages::priority_class_unknown(class_name);
  priority = found->second;
  return {};
}

void partition::reject_ask(const tenon::put_ask &c, std::string why) {
  decision_view &d = decisions.emit(decided::ask_rejected{decisions.keep(std::move(why))});
  d.application = decisions.keep(std::string(c.application));
  d.key = decisions.keep(std::string(c.key));
}

std::string partition::application_problem(const application *app, std::string_view app_id) {
  if (app == nullptr) return messages::application_not_found(app_id);
  if (app->state == application_state::failing) return messages::application_has_ended(app_id, app->state.name());
  return {};
}

std::string partition::check(const tenon::put_ask &c, ask_terms &out) {
  if (c.key.empty()) return messages::key_empty();
  std::string problem;
  if (!c.application.empty()) {
    out.owner = find_application(c.application);
    problem = application_problem(out.owner, c.application);
  }
  if (problem.empty()) problem = check_need_of(c, out.need);
  if (problem.empty()) problem = holdings.check_ask(c.tags, out.need, out.devices);
  out.priority = c.priority;
  if (problem.empty()) problem = check_priority(c.priority_class, out.priority);
  if (problem.empty() && c.application.empty()) out.owner = independent_application(c, problem);
  return problem;
}

void partition::obey(const tenon::put_ask &c) {
  ask_terms terms;
  if (std::string problem = check(c, terms); !problem.empty()) return reject_ask(c, std::move(problem));
  application *app = terms.owner;
  ask *a = app->ask_named(c.key);
  if (a != nullptr) {
    proposals.undo_all_of(*a, {cause::ask_changed});
    a = app->ask_named(c.key);  // it may be gone with them
  }
  if (a != nullptr) {
    withdraw(*a);
    forget_wait(*a);
    keeps.remove(*a);
    apply(ask_replaced{*a});
  } else {
    a = &asks.create();
    a->owner = app;
    a->key = c.key;
    app->asks.emplace(a->key, a);
  }
  fill_ask(*a, c, terms.priority);
  keeps.add(*a);
  a->class_id = classify(c.required_node, *a, terms.need, std::move(terms.devices)).id;
  apply(ask_placed{*a, static_cast<int32_t>(a->allocations.size() + a->under_way) - a->placed});
  lower_submission(*app, a->create_time_ms);
  if (a->pending() == 0) {
    apply(ask_moved{*a, ask_event::accept_placed});
    return settle(*app);
  }
  apply(ask_moved{*a, ask_event::accept});
  facts.tell(fact_kind::ask_added, *a);
  add_pending_of(*a, a->pending());
  lines.enqueue(*a);
  placeholder_timers.watch_left_over(*app, false);
  if (app->state == application_state::new_ || app->state == application_state::completing) {
    run(*app, messages::ask_added());
  }
  replacements.run_short_gang(*app);  // it may have been a placeholder
}

std::string partition::check_need_of(const tenon::put_ask &c, resources &need) {
  if (c.max_allocations < 1) {
    resources ignored;
    const bool bad_amounts =
        std::all_of(c.resources.begin(), c.resources.end(), [](const auto &r) { return r.amount == 0; }) ||
        std::any_of(c.resources.begin(), c.resources.end(), [](const auto &r) { return r.amount < 0; });
    return bad_amounts ? check_need(c.resources, ignored) : messages::no_allocations_wanted();
  }
  return check_need(c.resources, need);
}

void partition::fill_ask(ask &a, const tenon::put_ask &c, int32_t priority) {
  apply(ask_filled{a});
  a.priority = priority;
  a.priority_class = nullptr;
  if (!c.priority_class.empty()) {
    auto named = named_classes.find(c.priority_class);
    if (named == named_classes.end()) named = named_classes.emplace(c.priority_class).first;
    a.priority_class = &*named;
  }
  a.told = container_word::none;
  a.told_over = 0;
  a.max_allocations = c.max_allocations;
  a.arrival = next_arrival++;
  a.create_time_ms = c.create_time_ms != 0 ? c.create_time_ms : shared.now_ms;
  a.execution_timeout_ms = c.execution_timeout_ms;
  a.placeholder = c.placeholder && !c.task_group.empty();
  a.originator = c.originator;
  a.preempt_self = c.allow_preempt_self;
  a.preempt_other = c.allow_preempt_other;
  const size_t groups_before = a.owner->task_groups.size();
  a.gang = gangs.group_named(*a.owner, c.task_group);
  if (a.owner->task_groups.size() != groups_before) keeps.add(*a.owner, *a.gang);
  a.tags.clear();
  for (const named_text &tag : c.tags) a.tags.emplace_back(tag.key, tag.value);
  std::sort(a.tags.begin(), a.tags.end());
}

ask_class &partition::class_of(const class_key &key) {
  bool made = false;
  ask_class &out = classes.intern(key, made);
  if (made) keeps.add_bytes(ask_class_size + 2 * out.required_node.size());
  return out;
}

ask_class &partition::plain_class(const resources &need, std::vector<class_devices> devices) {
  return class_of(class_key{need, {}, 0, nullptr, nullptr, std::move(devices)});
}

ask_class &partition::classify(std::string_view required_node, const ask &a, const resources &need,
                               std::vector<class_devices> devices) {
  // Asks come in rows of equals: the class of the last one often serves.
  const int64_t timeout_ms = config.tuning.reservation_backfill ? a.execution_timeout_ms : 0;
  const bool alike = last_class != nullptr && last_class->need == need && last_class->required_node == required_node &&
                     last_class->timeout_ms == timeout_ms && last_class->devices == devices;
  const node_sorting &by = sortings.of(*a.owner);
  if (alike && last_sorting == &by &&
      ((verdicts.predicates().empty() && !by.policy->score_reads_ask()) ||
       (last_class_shared && last_priority == a.priority && last_tags == a.tags))) {
    return *last_class;
  }
  last_sorting = &by;
  class_key key{need, std::string(required_node), timeout_ms, nullptr, facts_for_score(a), std::move(devices)};
  key.judged = verdicts.set_for(a, need, last_class_shared);
  last_class = &class_of(key);
  last_priority = a.priority;
  last_tags = a.tags;
  return *last_class;
}

void partition::add_pending_of(ask &a, int64_t times) {
  const resources &need = classes[a.class_id].need;
  application &app = *a.owner;
  apply(application_asked{app, need, times});
  apply(queue_asked{*app.home, need, times});
  if (a.placeholder) {
    gangs.note_size(*a.gang, a.class_id);
    gangs.count_placeholders(*a.gang, times, 0);
  }
}

void partition::forget_wait(ask &a) {
  if (a.wait == nullptr) return;
  preemption.forget(a);
  checks.forget(a);
  waits.retire(*a.wait);
  a.wait = nullptr;
}

void partition::lower_submission(application &app, int64_t create_time_ms) {
  if (create_time_ms == 0 || create_time_ms >= app.submitted_ms) return;
  app.submitted_ms = create_time_ms;
  keys.changed(app, column::submitted);
}

void partition::withdraw(ask &a, termination why) {
  if (a.state != ask_state::pending) return;
  facts.tell(fact_kind::ask_removed, a, why);
  reservations.drop(a);
  lines.dequeue(a);
  add_pending_of(a, -a.pending());
  keeps.want(a, a.placed);
  apply(ask_moved{a, ask_event::withdraw});
}

void partition::drop(ask &a, termination why) {
  if (a.state != ask_state::pending) return;
  if (a.placeholder) a.gang->timed_out += a.pending();
  withdraw(a, why);
  forget_if_done(a);
}

std::vector<ask *> partition::pending_by_arrival(const application &app) {
  std::vector<ask *> out;
  for (const auto &[key, a] : app.asks) {  // any order: sorted next
    if (a->state == ask_state::pending) out.push_back(a);
  }
  std::sort(out.begin(), out.end(), [](const ask *x, const ask *y) { return x->arrival < y->arrival; });
  return out;
}

// Tells the RM of each.
void partition::drop_asks(application &app, termination end, const reason &why, bool only_placeholders) {
  for (ask *a : pending_by_arrival(app)) {
    if (only_placeholders && !a->placeholder) continue;
    reservations.drop(*a);
    decisions.emit(decided::ask_released{end, why}, *a);
    drop(*a, end);
  }
}

void partition::forget_if_done(ask &a) {
  if (!a.allocations.empty() || a.under_way != 0 || a.state == ask_state::pending) return;
  if (a.state == ask_state::allocated) apply(ask_moved{a, ask_event::end});
  a.owner->asks.erase(a.key);
  forget_wait(a);
  keeps.remove(a);
  asks.retire(a);
  apply(ask_forgotten{a});
}

}  // namespace tenon::internal
