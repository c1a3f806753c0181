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

// Everything that an allocation is counted in but its ask.
allocation &partition::place_on(ask &a, node &n, uint32_t class_id, bool placeholder) {
  application &app = *a.owner;
  const resources &need = classes[class_id].need;
  allocation &x = allocations.create();
  x.owner = &app;
  x.where = &n;
  x.from = &a;
  x.sequence = next_allocation++;
  x.class_id = class_id;
  x.state = allocation_state::allocated;
  x.placeholder = placeholder;
  x.originator = a.originator;
  x.priority = a.priority;
  x.create_time_ms = a.create_time_ms;
  x.bind_time_ms = shared.now_ms;
  x.task_group = a.task_group;
  if (app.allocations.empty()) count_limit_running(app, true);
  x.app_slot = static_cast<uint32_t>(app.allocations.size());
  app.allocations.push_back(&x);
  x.node_slot = static_cast<uint32_t>(n.allocations.size());
  n.allocations.push_back(&x);
  a.allocations.push_back(&x);
  ++allocation_count;
  n.allocated += need;
  for (const class_amount &p : classes[class_id].positive) nodes.take(n.slot, p.type, p.amount);
  touch_node(n.slot);
  (x.placeholder ? app.placeholders : app.allocated) += need;
  app_changed(app, x.placeholder ? column::placeholders : column::allocated);
  add_usage(*app.home, need, 1);
  add_limit_usage(app, need, 1);
  return x;
}

void partition::commit(ask &a, node &n) {
  application &app = *a.owner;
  allocation &x = place_on(a, n, a.class_id, a.placeholder);
  add_pending_of(a, -1);
  ++a.placed;
  if (a.pending() == 0) {
    a.state = ask_state::allocated;
    dequeue(a);
  }
  emit_allocation(decision_kind::allocated, x, termination::unknown, {});
  if (a.execution_timeout_ms > 0) {
    shared.arm(add_saturating(shared.now_ms, a.execution_timeout_ms), timer_kind::allocation_execution, id, x.index,
               x.sequence);
  }
  after_placing(app, x);
}

// The state that a new allocation brings its application to.
void partition::after_placing(application &app, const allocation &x) {
  if (!x.placeholder) return run(app);
  if (app.state == application_state::accepted) {
    count_up(app, true);
    stop_waiting(app);
    if (app.eligible()) let_go(app);
  }
  const bool complete = app.state == application_state::accepted && app.placeholders == app.placeholder_ask;
  if (complete || app.state == application_state::completing) run(app);
}

void partition::remove_allocation(allocation &a, bool node_gone) {
  application &app = *a.owner;
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
  resources &own = a.placeholder ? app.placeholders : app.allocated;
  own -= need;
  own.prune();
  app_changed(app, a.placeholder ? column::placeholders : column::allocated);
  n.allocated -= need;
  n.allocated.prune();
  allocations.retire(a);
  if (app.allocations.empty()) count_limit_running(app, false);
  add_limit_usage(app, need, -1);
  add_usage(*app.home, need, -1);
  if (!node_gone) node_changed(n);
  forget_if_done(*a.from);
}

void partition::resize(allocation &a, const resources &need) {
  application &app = *a.owner;
  const resources before = classes[a.class_id].need;
  if (before == need) return;
  a.class_id = plain_class(need).id;
  resources &own = a.placeholder ? app.placeholders : app.allocated;
  own -= before;
  own += need;
  own.prune();
  app_changed(app, a.placeholder ? column::placeholders : column::allocated);
  a.where->allocated -= before;
  a.where->allocated += need;
  a.where->allocated.prune();
  add_limit_usage(app, need, 1);
  add_limit_usage(app, before, -1);
  add_usage(*app.home, need, 1);
  add_usage(*app.home, before, -1);
  node_changed(*a.where);
}

void partition::expire(allocation &a, std::string_view message) {
  a.state = allocation_state::expiring;
  emit_allocation(decision_kind::released, a, termination::timeout, message);
}

void partition::undo(allocation &a) {
  ask &of = *a.from;
  if (of.state == ask_state::released || of.owner->state == application_state::failing) return remove_allocation(a);
  const int32_t before = of.pending();
  of.state = ask_state::pending;  // keeps the ask while its allocation goes
  remove_allocation(a);
  --of.placed;
  if (of.pending() == 0) {
    of.state = ask_state::allocated;
    return forget_if_done(of);
  }
  add_pending_of(of, of.pending() - before);
  if (before == 0) enqueue(of);
}

void partition::release(const tenon::release &c) {
  if (!c.application.empty()) {
    if (application *app = find_application(c.application); app != nullptr) release_of(*app, c);
    return;
  }
  if (!c.key.empty()) {
    if (const auto found = foreign.find(c.key); found != foreign.end()) return remove_foreign(*found->second);
    if (application *app = find_application("@independent/" + std::string(c.key)); app != nullptr) release_of(*app, c);
    return;
  }
  std::vector<application *> all;
  for (const auto &[app_id, app] : active) all.push_back(app);  // any order: sorted next
  std::sort(all.begin(), all.end(), [](const auto *x, const auto *y) { return x->submission < y->submission; });
  for (application *app : all) release_of(*app, c);
}

void partition::release_of(application &app, const tenon::release &c) {
  bool gone_any = false;
  const auto found = c.key.empty() ? app.asks.end() : app.asks.find(c.key);
  ask *only = found == app.asks.end() ? nullptr : found->second;
  if (!c.key.empty() && only == nullptr) return;
  if (c.what != release_what::asks) {
    std::vector<allocation *> going;
    if (only != nullptr) {
      going.assign(only->allocations.begin(), only->allocations.end());
    } else {
      going = by_sequence(app.allocations);
    }
    if (c.allocation_sequence != 0)
      std::erase_if(going, [&](const auto *a) { return a->sequence != c.allocation_sequence; });
    if (c.limit != 0 && going.size() > c.limit) going.resize(c.limit);
    const bool told = c.why == termination::stopped_by_rm || c.why == termination::unknown;
    for (allocation *a : going) {
      if (told) emit_allocation(decision_kind::released, *a, c.why, keep(messages::released_by_rm()));
      if (only != nullptr && a->from == only && only->allocations.size() == 1 && only->state != ask_state::pending &&
          c.why != termination::scheduling_failed) {
        only = nullptr;  // goes with its last allocation
      }
      if (c.why == termination::scheduling_failed) {
        undo(*a);
      } else {
        remove_allocation(*a);
      }
      gone_any = true;
    }
  }
  if (c.what != release_what::allocations) {
    if (c.key.empty()) {
      gone_any |= !app.pending.empty();
      withdraw_all_asks(app);
    } else if (only != nullptr && only->state == ask_state::pending) {
      withdraw(*only);
      forget_if_done(*only);
      gone_any = true;
    }
  }
  if (gone_any) maybe_complete(app);
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
    return check_amounts(c.resources, need);
  }
  std::string problem = c.application.empty() ? std::string{} : application_problem(c.application);
  if (problem.empty()) problem = check_need(c.resources, need);
  priority = c.priority;
  if (problem.empty()) problem = check_priority(c.priority_class, priority);
  if (!problem.empty()) return problem;
  const std::string app_id = c.application.empty() ? "@independent/" + std::string(c.key) : std::string(c.application);
  if (const application *app = find_application(app_id); app != nullptr) {
    if (const auto found = app->asks.find(c.key); found != app->asks.end()) {
      const auto &live = found->second->allocations;
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
  ask *a = nullptr;
  if (const auto found = app.asks.find(c.key); found != app.asks.end()) {
    a = found->second;
    const auto here =
        std::find_if(a->allocations.begin(), a->allocations.end(), [&](const allocation *x) { return x->where == &n; });
    const bool all_placed = !node_is_new && static_cast<int64_t>(a->allocations.size()) >= c.max_allocations;
    if (all_placed && here != a->allocations.end()) return resize(**here, need);
  } else {
    a = &asks.create();
    a->owner = &app;
    a->key = c.key;
    app.asks.emplace(a->key, a);
    fill_ask(*a, c, priority);
    a->class_id = classify(c.required_node, *a, need).id;
    a->state = ask_state::allocated;
    a->max_allocations = 0;
  }
  lower_submission(app, c.create_time_ms);
  if (app.state == application_state::new_) run(app);
  allocation &x = place_on(*a, n, plain_class(need).id, c.placeholder && !c.task_group.empty());
  x.create_time_ms = c.create_time_ms != 0 ? c.create_time_ms : shared.now_ms;
  x.bind_time_ms = e.bind_time_ms != 0 ? e.bind_time_ms : shared.now_ms;
  x.priority = priority;
  x.originator = c.originator;
  x.task_group = c.task_group;
  ++a->placed;
  if (a->state == ask_state::pending) {
    add_pending_of(*a, -1);
    if (a->pending() == 0) {
      a->state = ask_state::allocated;
      if (a->group != nullptr) dequeue(*a);
    }
  } else {
    a->max_allocations = std::max(a->max_allocations, a->placed);
  }
  emit_allocation(decision_kind::allocated, x, termination::unknown, keep(messages::existing()));
  if (c.execution_timeout_ms > 0) {
    shared.arm(std::max(shared.now_ms, add_saturating(x.bind_time_ms, c.execution_timeout_ms)),
               timer_kind::allocation_execution, id, x.index, x.sequence);
  }
  after_placing(app, x);
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
    if (!e.foreign && !e.ask.application.empty()) problem = application_problem(e.ask.application);
    if (problem.empty()) problem = messages::node_not_found(c.node);
  } else {
    problem = existing_problem(e, n, false, need, priority);
  }
  if (!problem.empty()) {
    decision_view &d = emit(decision_kind::allocation_rejected);
    d.application = keep(std::string(e.ask.application));
    d.key = keep(std::string(e.ask.key));
    d.node = keep(std::string(c.node));
    d.text = keep(std::move(problem));
    return;
  }
  if (e.foreign) return add_foreign(*n, e.ask.key, need);
  add_existing(e, *n, false, need, priority);
}

void partition::add_foreign(node &n, std::string_view key, const resources &need) {
  if (const auto found = foreign.find(key); found != foreign.end()) remove_foreign(*found->second);
  allocation &a = allocations.create();
  a.foreign = true;
  a.foreign_key = key;
  a.where = &n;
  a.class_id = plain_class(need).id;
  a.bind_time_ms = shared.now_ms;
  a.state = allocation_state::allocated;
  foreign.emplace(a.foreign_key, &a);
  n.foreign.push_back(&a);
  n.occupied += need;
  node_changed(n);
}

void partition::remove_foreign(allocation &a) {
  node &n = *a.where;
  std::erase(n.foreign, &a);
  foreign.erase(a.foreign_key);
  n.occupied -= classes[a.class_id].need;
  n.occupied.prune();
  allocations.retire(a);
  node_changed(n);
}

void partition::emit_allocation(decision_kind kind, const allocation &a, termination why, std::string_view text) {
  decision_view &d = emit(kind);
  d.why = why;
  d.placeholder = a.placeholder;
  d.allocation_sequence = a.sequence;
  d.application = a.owner->id;
  d.key = a.key();
  d.node = a.where->id;
  d.queue = a.owner->home->path;
  d.text = text;
}

void partition::emit_ask_released(const ask &a, termination why, std::string_view text) {
  decision_view &d = emit(decision_kind::ask_released);
  d.why = why;
  d.placeholder = a.placeholder;
  d.application = a.owner->id;
  d.key = a.key;
  d.queue = a.owner->home->path;
  d.text = text;
}

}  // namespace tenon::internal
