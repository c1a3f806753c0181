// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Allocations that the resource manager reports: its own, which run already, and those of others.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::string partition::check(const existing_allocation &e, const node *n, ask_terms &out) {
  const tenon::put_ask &c = e.ask;
  if (c.key.empty()) return messages::key_empty();
  if (e.foreign) {
    for (const named_amount &item : c.resources) {
      if (item.amount < 0) return messages::negative_resources();
    }
    std::string problem = check_amounts({{c.resources, out.need}});
    return problem.empty() ? holdings.check_detail(c.key, e.detail, out.need) : problem;
  }
  std::string problem =
      c.application.empty() ? std::string{} : application_problem(find_application(c.application), c.application);
  if (problem.empty()) problem = check_need(c.resources, out.need);
  if (problem.empty()) problem = holdings.check_ask(c.tags, out.need, out.devices);
  if (problem.empty()) problem = holdings.check_detail(c.key, e.detail, out.need);
  out.priority = c.priority;
  if (problem.empty()) problem = check_priority(c.priority_class, out.priority);
  if (!problem.empty()) return problem;
  const std::string app_id = c.application.empty() ? "@independent/" + std::string(c.key) : std::string(c.application);
  out.owner = find_application(app_id);
  if (const ask *a = out.owner == nullptr ? nullptr : out.owner->ask_named(c.key); a != nullptr && n != nullptr) {
    std::vector<allocation *> live(a->allocations.begin(), a->allocations.end());
    std::erase_if(live, [](const allocation *x) { return x->state == allocation_state::proposed; });
    const bool here = std::any_of(live.begin(), live.end(), [&](const allocation *x) { return x->where == n; });
    if (static_cast<int64_t>(live.size()) >= c.max_allocations && !here && !live.empty()) {
      return messages::allocation_elsewhere(c.key, n->id);
    }
  }
  if (c.application.empty()) out.owner = independent_application(c, problem);
  return problem;
}

std::string partition::check(const tenon::put_allocation &c, const node *n, ask_terms &out) {
  const existing_allocation &e = c.allocation;
  if (e.ask.key.empty()) return messages::key_empty();
  if (e.foreign && c.node.empty()) return messages::foreign_without_node(e.ask.key);
  if (n != nullptr) return check(e, n, out);
  if (e.foreign) return messages::foreign_node_not_found(c.node, e.ask.key);
  std::string problem;
  if (!e.ask.application.empty()) {
    problem = application_problem(find_application(e.ask.application), e.ask.application);
  }
  return problem.empty() ? messages::node_not_found(c.node) : problem;
}

// Its node is refused after all: nothing stays of the application that was made for it.
void partition::forget_unused_independent(const existing_allocation &e) {
  if (e.foreign || !e.ask.application.empty()) return;
  application *app = find_application("@independent/" + std::string(e.ask.key));
  if (app == nullptr || app->state != application_state::new_) return;
  leave_queue(*app);
  forget(*app);
}

void partition::add_existing(const existing_allocation &e, node &n, bool node_is_new, ask_terms checked) {
  const tenon::put_ask &c = e.ask;
  application &app = *checked.owner;
  const resources &need = checked.need;
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
    fill_ask(*a, c, checked.priority);
    a->class_id = classify(c.required_node, *a, need, checked.devices).id;
    apply(ask_moved{*a, ask_event::accept_placed});
    a->max_allocations = 0;
    keeps.add(*a);
  }
  lower_submission(app, c.create_time_ms);
  if (app.state == application_state::new_) run(app, messages::allocation_added());
  const size_t groups_before = app.task_groups.size();
  const allocation_terms terms{.class_id = plain_class(need, std::move(checked.devices)).id,
                               .priority = checked.priority,
                               .placeholder = c.placeholder && !c.task_group.empty(),
                               .originator = c.originator,
                               .preempt_self = c.allow_preempt_self,
                               .bound = !c.required_node.empty(),
                               .gang = gangs.group_named(app, c.task_group),
                               .create_time_ms = c.create_time_ms != 0 ? c.create_time_ms : shared.now_ms,
                               .execution_timeout_ms = c.execution_timeout_ms};
  if (app.task_groups.size() != groups_before) keeps.add(app, *terms.gang);
  node *kept = reservations.use(*a);
  const allocation &x = place_on(*a, n, terms, e.bind_time_ms != 0 ? e.bind_time_ms : shared.now_ms, e.detail);
  if (a->state == ask_state::pending) {
    count_placed(*a);
  } else {
    apply(ask_placed{*a, 1});
    keeps.want(*a, std::max(a->max_allocations, a->placed));
  }
  announce(x, terms, true);
  placeholder_timers.watch_left_over(app, false);
  after_placing(app, x);
  if (kept != nullptr) reservations.reopen(*kept);
  quotas.look_at_path(*app.home);
}

void partition::obey(const tenon::put_allocation &c) {
  const existing_allocation &e = c.allocation;
  node *n = nodes.find(c.node);
  ask_terms terms;
  if (std::string problem = check(c, n, terms); !problem.empty()) {
    decision_view &d = decisions.emit(decided::allocation_rejected{decisions.keep(std::move(problem))});
    d.application = decisions.keep(std::string(e.ask.application));
    d.key = decisions.keep(std::string(e.ask.key));
    d.node = decisions.keep(std::string(c.node));
    return;
  }
  if (e.foreign) {
    add_foreign(*n, e, terms.need);
    return reservations.check(*n);
  }
  add_existing(e, *n, false, std::move(terms));
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
  keeps.add_foreign(a);
  n.foreign.push_back(&a);
  if (!e.detail.empty()) holdings.assign(a.devices, n, classes[a.class_id], e.detail, false);
  apply(occupied_by{n, need, 1});
  if (facts.listened()) facts.tell(fact_kind::foreign_added, a);
  checks.forget_on(n);
  apply(node_changed{n});
}

void partition::remove_foreign(allocation &a) {
  node &n = *a.where;
  if (facts.listened()) facts.tell(fact_kind::foreign_removed, a);
  std::erase(n.foreign, &a);
  keeps.remove_foreign(a);
  foreign.erase(a.key());
  foreign_tags.erase(a.key());
  holdings.free(a.devices, &n);
  apply(occupied_by{n, classes[a.class_id].need, -1});
  allocations.retire(a);
  apply(allocation_ended{a, allocation_event::release});
  checks.forget_on(n);
  apply(node_changed{n});
}

}  // namespace tenon::internal
