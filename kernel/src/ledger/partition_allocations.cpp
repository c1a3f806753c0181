// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Allocations: made by the cycle or found existing, resized, released, undone; and foreign ones.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::vector<allocation *> partition::by_sequence(std::vector<allocation *> list) {
  std::sort(list.begin(), list.end(),
            [](const allocation *x, const allocation *y) { return x->sequence < y->sequence; });
  return list;
}

allocation_terms partition::terms_of(const ask &a) const {
  return {a.class_id,         a.priority, a.placeholder,    a.originator,          a.preempt_self,
          requires_a_node(a), a.gang,     a.create_time_ms, a.execution_timeout_ms};
}

allocation &partition::place_on(ask &a, node &n, const allocation_terms &terms, int64_t bind_time_ms,
                                std::string_view detail, allocation_event how) {
  allocation &x = make_allocation(a, n, terms, bind_time_ms);
  apply(allocation_made{x, how});
  count_allocation(x, detail);
  return x;
}

// Counted nowhere so far.
allocation &partition::make_allocation(ask &a, node &n, const allocation_terms &terms, int64_t bind_time_ms) {
  allocation &x = allocations.create();
  x.owner = a.owner;
  x.where = &n;
  x.from = &a;
  x.sequence = next_allocation++;
  x.class_id = terms.class_id;
  x.placeholder = terms.placeholder;
  x.originator = terms.originator;
  x.preempt_self = terms.preempt_self;
  x.bound = terms.bound;
  x.priority = terms.priority;
  x.create_time_ms = terms.create_time_ms;
  x.bind_time_ms = bind_time_ms;
  x.gang = terms.gang;
  return x;
}

// In everything but its ask. `detail`: the devices that are known already.
void partition::count_allocation(allocation &x, std::string_view detail) {
  application &app = *x.owner;
  node &n = *x.where;
  const ask_class &c = classes[x.class_id];
  if (app.place != limit_place::taken) limits.enter(app, x.state == allocation_state::proposed);
  x.app_slot = static_cast<uint32_t>(app.allocations.size());
  app.allocations.push_back(&x);
  x.node_slot = static_cast<uint32_t>(n.allocations.size());
  n.allocations.push_back(&x);
  x.from->allocations.push_back(&x);
  ++allocation_count;
  apply(room_taken{n, c});
  if (n.divided || !detail.empty()) assign_devices(x.devices, n, c, detail, true);
  apply(application_used{app, x.placeholder, c.need, 1});
  const resources &own = app.used(x.placeholder);
  for (const class_amount &p : c.positive) app.past.raise(p.type, own[p.type]);
  apply(queue_used{*app.home, c.need, 1});
  limits.add_usage(app, c.need, 1);
  if (x.placeholder) gangs.hold(x);
  if (facts.listened()) facts.tell(fact_kind::allocation_added, x);
}

// To the RM; its execution timer runs from now on.
void partition::announce(const allocation &x, const allocation_terms &terms, bool existing) {
  decisions.emit(decided::allocated{existing, detail_of(x.devices)}, x);
  if (terms.execution_timeout_ms <= 0) return;
  const int64_t ends_ms = add_saturating(x.bind_time_ms, terms.execution_timeout_ms);
  ends_at.emplace(x.sequence, ends_ms);
  shared.timers.arm(std::max(shared.now_ms, ends_ms), timer_kind::allocation_execution, id, x.index, x.sequence);
}

void partition::commit(ask &a, node &n) {
  if (check_deadline_ms > 0) return proposals.propose(a, n);
  const allocation_terms terms = terms_of(a);
  node *kept = reservations.use(a);
  const allocation &x = place_on(a, n, terms, shared.now_ms);
  count_placed(a);
  announce(x, terms);
  after_placing(*a.owner, x);
  if (kept != nullptr) reservations.reopen(*kept);
}

// One of what is pending is not any more.
void partition::count_placed(ask &a) {
  add_pending_of(a, -1);
  ++a.placed;
  a.told = container_word::none;
  if (a.told_over != 0) facts.tell_fits(a);
  if (a.pending() != 0) {
    apply(ask_moved{a, ask_event::place});
    if (a.line == ask_line::none) lines.enqueue(a);
    return;
  }
  apply(ask_moved{a, ask_event::place_last});
  lines.dequeue(a);
}

// The state that a new allocation brings its application to.
void partition::after_placing(application &app, const allocation &x) {
  if (app.state == application_state::running) return;
  if (!x.placeholder) {
    if (app.state != application_state::resuming) run(app, messages::allocation_added());
    return;
  }
  if (app.state == application_state::accepted) {
    count_up(app, true);
    const bool held = app.held();
    ready.stop_waiting(app);
    if (app.eligible()) ready.let_go(app);
    if (held) reservations.refresh(app);
    if (x.bind_time_ms < app.first_bind_ms) {
      app.first_bind_ms = x.bind_time_ms;
      placeholder_timers.arm(app, x.bind_time_ms);
    }
  }
  const auto all_placed = [&] {
    if (app.proposals.empty()) return app.placeholders == app.placeholder_ask;
    resources placed = app.placeholders;
    for (const proposal &p : app.proposals) {
      if (p.is_placeholder()) placed -= classes[p.made->class_id].need;
    }
    placed.prune();
    return placed == app.placeholder_ask;
  };
  if (app.state == application_state::completing) return run(app, messages::allocation_added());
  if (app.state != application_state::accepted) return;
  if (!all_placed()) return replacements.run_short_gang(app);
  run(app, messages::gang_complete());
}

// It ends by the event. `keeps_ask`: who calls looks after the ask, which stays even where nothing of it is left.
void partition::remove_allocation(allocation &a, allocation_event how, bool keeps_ask) {
  const bool node_gone = how == allocation_event::node_removed;
  application &app = *a.owner;
  if (facts.listened()) facts.tell(fact_kind::allocation_removed, a, node_gone);
  if (a.placeholder) gangs.let_go(a);
  const resources &need = classes[a.class_id].need;
  app.allocations[a.app_slot] = app.allocations.back();
  app.allocations[a.app_slot]->app_slot = a.app_slot;
  app.allocations.pop_back();
  a.from->allocations.erase(std::find(a.from->allocations.begin(), a.from->allocations.end(), &a));
  node &n = *a.where;
  n.allocations[a.node_slot] = n.allocations.back();
  n.allocations[a.node_slot]->node_slot = a.node_slot;
  n.allocations.pop_back();
  --allocation_count;
  if (a.state != allocation_state::proposed) count_past_use(a);
  apply(application_used{app, a.placeholder, need, -1});
  apply(room_given{n, need});
  free_devices(a.devices, node_gone ? nullptr : &n);
  allocations.retire(a);
  limits.add_usage(app, need, -1);
  apply(queue_used{*app.home, need, -1});
  if (!node_gone && a.state != allocation_state::proposed) checks.forget_on(n);
  if (!node_gone) apply(node_changed{n});
  if (!keeps_ask) forget_if_done(*a.from);
  ends_at.erase(a.sequence);
  if (a.state == allocation_state::preempting) preemption.victim_gone(a);
  apply(allocation_ended{a, how});
}

void partition::resize(allocation &a, const resources &need, std::string_view detail) {
  application &app = *a.owner;
  const uint32_t before_id = a.class_id;
  const resources before = classes[before_id].need;
  if (before == need && (detail.empty() || detail == detail_of(a.devices))) return;
  a.class_id = plain_class(need).id;
  apply(allocation_resized{a});
  if (facts.listened() && before != need) {
    facts.tell(fact_kind::allocation_resized, a, false, &before);
  }
  resize_devices(a, detail);
  apply(application_resized{app, a.placeholder, before, need});
  app.past.raise(app.used(a.placeholder));
  if (a.state == allocation_state::preempting) {
    apply(queue_preempting{*app.home, need, 1});
    apply(queue_preempting{*app.home, before, -1});
  }
  if (a.placeholder && a.state == allocation_state::allocated && a.offered == nullptr) {
    gangs.resized(a, before_id);
  }
  apply(room_resized{*a.where, before, need});
  limits.add_usage(app, need, 1);
  limits.add_usage(app, before, -1);
  apply(queue_used{*app.home, need, 1});
  apply(queue_used{*app.home, before, -1});
  checks.forget_on(*a.where);
  apply(node_changed{*a.where});
}

void partition::move(allocation &a, allocation_event event) {
  proposals.undo_offer(a);
  const bool leaves = a.placeholder && a.state == allocation_state::allocated;
  if (leaves) gangs.leave_allocated(a);
  apply(allocation_moved{a, event});
}

void partition::expire(allocation &a, const reason &why) {
  move(a, allocation_event::timeout);
  decisions.emit_released(a, termination::timeout, why);
}

void partition::expire_all(application &app, const reason &why, bool only_placeholders) {
  for (allocation *a : by_sequence(app.allocations)) {
    if (a->state != allocation_state::allocated || (only_placeholders && !a->placeholder)) continue;
    expire(*a, why);
  }
}

void partition::undo(allocation &a) {
  ask &of = *a.from;
  const bool ends = of.state == ask_state::released || of.owner->state == application_state::failing;
  if (ends) return remove_allocation(a, allocation_event::undo);
  remove_allocation(a, allocation_event::undo, true);
  if (unplace(of) && a.placeholder) --a.gang->timed_out;  // it did not end
  forget_if_done(of);
}

// One of it is placed less. True: it is pending again.
bool partition::unplace(ask &a) {
  if (a.state == ask_state::released) return false;
  const int32_t before = a.pending();
  --a.placed;
  if (a.pending() == 0) return false;
  apply(ask_moved{a, ask_event::undo});
  a.told = container_word::none;
  add_pending_of(a, a.pending() - before);
  if (before == 0) lines.enqueue(a);
  return a.pending() > before;
}

void partition::release(const tenon::release &c) {
  if (!c.application.empty()) {
    if (application *app = find_application(c.application); app != nullptr) release_of(*app, c);
    return;
  }
  if (!c.key.empty() && c.what != release_what::asks) {
    if (const auto found = foreign.find(c.key); found != foreign.end()) {
      node &n = *found->second->where;
      remove_foreign(*found->second);
      return reservations.check(n);
    }
    if (application *app = find_application("@independent/" + std::string(c.key)); app != nullptr) release_of(*app, c);
    return;
  }
  for (application *app : by_submission()) release_of(*app, c);
}

void partition::release_of(application &app, const tenon::release &c) {
  ask *only = nullptr;
  if (!c.key.empty()) {
    const auto found = app.asks.find(c.key);
    if (found == app.asks.end()) return;
    only = found->second;
  }
  // What is on its way to become an allocation is an ask to the resource manager.
  const bool asks_stay = c.what == release_what::allocations;
  bool gone_any = false, real_went = false;
  if (c.allocation_sequence == 0 && c.limit == 0) {
    const auto of_these = [&](const proposal &p) {
      if (only != nullptr && &p.of() != only) return false;
      real_went |= !p.is_placeholder();
      return true;
    };
    if (!app.proposals.empty()) gone_any = proposals.undo_those(app, of_these, {cause::released_by_rm}, asks_stay);
    if (replacements.undo_all(app, only, asks_stay)) gone_any = real_went = true;
  }
  if (c.what != release_what::asks) {
    std::vector<allocation *> going;
    if (only != nullptr) {
      going.assign(only->allocations.begin(), only->allocations.end());
    } else {
      going = by_sequence(app.allocations);
    }
    if (c.allocation_sequence != 0)
      std::erase_if(going, [&](const auto *a) { return a->sequence != c.allocation_sequence; });
    if (c.limit != 0) std::erase_if(going, [](const auto *a) { return a->state == allocation_state::proposed; });
    if (c.limit != 0 && going.size() > c.limit) going.resize(c.limit);
    for (allocation *a : going) {
      real_went |= !a->placeholder;
      end_allocation(*a, c.why);
    }
    gone_any |= !going.empty();
  }
  if (c.what != release_what::allocations) {
    for (ask *a : only != nullptr ? std::vector<ask *>{only} : pending_by_arrival(app)) {
      if (!a->live || a->state != ask_state::pending) continue;
      real_went |= !a->placeholder;
      gone_any = true;
      drop(*a);
    }
  }
  if (gone_any) settle(app, real_went);
}

// What takes its place follows.
void partition::end_allocation(allocation &a, termination why) {
  if (a.state == allocation_state::proposed) {
    return proposals.undo(*a.owner, a.sequence, {cause::released_by_rm}, why == termination::scheduling_failed,
                          allocation_event::release);
  }
  proposals.undo_offer(a);
  const bool unasked = why == termination::stopped_by_rm || why == termination::unknown;
  if (unasked) decisions.emit_released(a, why, {cause::released_by_rm});
  const bool confirms = !unasked && a.state != allocation_state::allocated;
  const allocation_event how = confirms ? allocation_event::acknowledge : allocation_event::release;
  if (a.under_way != nullptr) return replacements.finish(a, how);
  if (why == termination::scheduling_failed && a.state != allocation_state::replacing) return undo(a);
  remove_allocation(a, how);
}

// -- Existing and foreign ones. --

std::string partition::existing_problem(const existing_allocation &e, const node *n, bool node_is_new, resources &need,
                                        int32_t &priority) {
  const tenon::put_ask &c = e.ask;
  if (c.key.empty()) return messages::key_empty();
  if (e.foreign) {
    for (const named_amount &item : c.resources) {
      if (item.amount < 0) return messages::negative_resources();
    }
    std::string problem = check_amounts(c.resources, need);
    return problem.empty() ? check_detail(c.key, e.detail, need) : problem;
  }
  std::string problem =
      c.application.empty() ? std::string{} : application_problem(find_application(c.application), c.application);
  if (problem.empty()) problem = check_need(c.resources, need);
  std::vector<class_devices> ignored;
  if (problem.empty()) problem = check_ask_devices(c.tags, need, ignored);
  if (problem.empty()) problem = check_detail(c.key, e.detail, need);
  priority = c.priority;
  if (problem.empty()) problem = check_priority(c.priority_class, priority);
  if (!problem.empty()) return problem;
  const std::string app_id = c.application.empty() ? "@independent/" + std::string(c.key) : std::string(c.application);
  if (const application *app = find_application(app_id); app != nullptr) {
    if (const auto found = app->asks.find(c.key); found != app->asks.end()) {
      std::vector<allocation *> live(found->second->allocations.begin(), found->second->allocations.end());
      std::erase_if(live, [](const allocation *a) { return a->state == allocation_state::proposed; });
      const bool here = std::any_of(live.begin(), live.end(), [&](const allocation *a) { return a->where == n; });
      if (!node_is_new && static_cast<int64_t>(live.size()) >= c.max_allocations && !here && !live.empty()) {
        return messages::allocation_elsewhere(c.key, n->id);
      }
    }
  }
  if (c.application.empty()) (void)independent_application(c, problem);
  return problem;
}

// Its node is refused after all: nothing stays of the application that was made for it.
void partition::forget_unused_independent(const existing_allocation &e) {
  if (e.foreign || !e.ask.application.empty()) return;
  application *app = find_application("@independent/" + std::string(e.ask.key));
  if (app == nullptr || app->state != application_state::new_) return;
  leave_queue(*app);
  forget(*app);
}

void partition::add_existing(const existing_allocation &e, node &n, bool node_is_new, const resources &need,
                             int32_t priority) {
  const tenon::put_ask &c = e.ask;
  application &app =
      *find_application(c.application.empty() ? "@independent/" + std::string(c.key) : std::string(c.application));
  std::vector<class_devices> devices;
  (void)check_ask_devices(c.tags, need, devices);
  ask *a = nullptr;
  if (const auto found = app.asks.find(c.key); found != app.asks.end()) {
    proposals.undo_all_of(*found->second, {cause::ask_changed});
  }
  if (const auto found = app.asks.find(c.key); found != app.asks.end()) {
    a = found->second;
    const auto here =
        std::find_if(a->allocations.begin(), a->allocations.end(), [&](const allocation *x) { return x->where == &n; });
    const bool all_placed = !node_is_new && static_cast<int64_t>(a->allocations.size()) >= c.max_allocations;
    if (all_placed && here != a->allocations.end()) {
      resize(**here, need, e.detail);
      return quotas.look_at_path(*app.home);
    }
  } else {
    a = &asks.create();
    a->owner = &app;
    a->key = c.key;
    app.asks.emplace(a->key, a);
    fill_ask(*a, c, priority);
    a->class_id = classify(c.required_node, *a, need, devices).id;
    apply(ask_moved{*a, ask_event::accept_placed});
    a->max_allocations = 0;
    count_kept(*a);
  }
  lower_submission(app, c.create_time_ms);
  if (app.state == application_state::new_) run(app, messages::allocation_added());
  const size_t groups_before = app.task_groups.size();
  const allocation_terms terms{.class_id = plain_class(need, std::move(devices)).id,
                               .priority = priority,
                               .placeholder = c.placeholder && !c.task_group.empty(),
                               .originator = c.originator,
                               .preempt_self = c.allow_preempt_self,
                               .bound = !c.required_node.empty(),
                               .gang = gangs.group_named(app, c.task_group),
                               .create_time_ms = c.create_time_ms != 0 ? c.create_time_ms : shared.now_ms,
                               .execution_timeout_ms = c.execution_timeout_ms};
  if (app.task_groups.size() != groups_before) count_kept(app, *terms.gang);
  node *kept = reservations.use(*a);
  const allocation &x = place_on(*a, n, terms, e.bind_time_ms != 0 ? e.bind_time_ms : shared.now_ms, e.detail);
  if (a->state == ask_state::pending) {
    count_placed(*a);
  } else {
    ++a->placed;
    want_allocations(*a, std::max(a->max_allocations, a->placed));
    touched(*a);
  }
  announce(x, terms, true);
  placeholder_timers.watch_left_over(app, false);
  after_placing(app, x);
  if (kept != nullptr) reservations.reopen(*kept);
  quotas.look_at_path(*app.home);
}

void partition::put_allocation(const tenon::put_allocation &c) {
  const existing_allocation &e = c.allocation;
  node *n = nodes.find(c.node);
  resources need;
  int32_t priority = 0;
  std::string problem;
  if (e.ask.key.empty()) {
    problem = messages::key_empty();
  } else if (e.foreign && c.node.empty()) {
    problem = messages::foreign_without_node(e.ask.key);
  } else if (n == nullptr) {
    problem = e.foreign ? messages::foreign_node_not_found(c.node, e.ask.key) : std::string{};
    if (!e.foreign && !e.ask.application.empty()) {
      problem = application_problem(find_application(e.ask.application), e.ask.application);
    }
    if (problem.empty()) problem = messages::node_not_found(c.node);
  } else {
    problem = existing_problem(e, n, false, need, priority);
  }
  if (!problem.empty()) {
    decision_view &d = decisions.emit(decided::allocation_rejected{decisions.keep(std::move(problem))});
    d.application = decisions.keep(std::string(e.ask.application));
    d.key = decisions.keep(std::string(e.ask.key));
    d.node = decisions.keep(std::string(c.node));
    return;
  }
  if (e.foreign) {
    add_foreign(*n, e, need);
    return reservations.check(*n);
  }
  add_existing(e, *n, false, need, priority);
}

void partition::add_foreign(node &n, const existing_allocation &e, const resources &need) {
  if (const auto found = foreign.find(e.ask.key); found != foreign.end()) remove_foreign(*found->second);
  allocation &a = allocations.create();
  a.foreign = true;
  a.foreign_key = std::make_unique<const std::string>(e.ask.key);
  a.where = &n;
  a.class_id = plain_class(need).id;
  a.priority = e.ask.priority;
  a.create_time_ms = e.ask.create_time_ms != 0 ? e.ask.create_time_ms : shared.now_ms;
  a.bind_time_ms = shared.now_ms;
  apply(allocation_made{a, allocation_event::allocate});
  foreign.emplace(a.key(), &a);
  for (const named_text &tag : e.ask.tags) foreign_tags[a.key()].emplace_back(tag.key, tag.value);
  count_kept_foreign(a);
  n.foreign.push_back(&a);
  if (!e.detail.empty()) assign_devices(a.devices, n, classes[a.class_id], e.detail, false);
  apply(occupied_by{n, need, 1});
  if (facts.listened()) facts.tell(fact_kind::foreign_added, a);
  checks.forget_on(n);
  apply(node_changed{n});
}

void partition::remove_foreign(allocation &a) {
  node &n = *a.where;
  if (facts.listened()) facts.tell(fact_kind::foreign_removed, a);
  std::erase(n.foreign, &a);
  uncount_kept_foreign(a);
  foreign.erase(a.key());
  foreign_tags.erase(a.key());
  free_devices(a.devices, &n);
  apply(occupied_by{n, classes[a.class_id].need, -1});
  allocations.retire(a);
  apply(allocation_ended{a, allocation_event::release});
  checks.forget_on(n);
  apply(node_changed{n});
}

}  // namespace tenon::internal
