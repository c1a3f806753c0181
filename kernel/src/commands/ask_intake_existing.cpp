// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands/application_intake.hpp"
#include "commands/ask_intake.hpp"
#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "ledger/kept_counts.hpp"
#include "lifecycle/allocation_states.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "lifecycle/foreign_allocations.hpp"
#include "lifecycle/resource_intake.hpp"
#include "model/application_id.hpp"
#include "ready/change_dispatcher.hpp"
#include "rules/gangs.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/proposals.hpp"
#include "rules/quotas.hpp"
#include "rules/reservations.hpp"
#include "rules/unfit_placements.hpp"
#include "tenon/kernel/messages.hpp"
#include "told/decision_teller.hpp"

namespace tenon::internal {

std::string ask_intake::check(const existing_allocation &e, const node *n, ask_terms &out, type_lookup &by_name) const {
  const tenon::put_ask &c = e.ask;
  if (c.key.empty()) return messages::key_empty();
  if (e.foreign) {
    for (const named_amount &item : c.resources) {
      if (item.amount < 0) return messages::negative_resources();
    }
    std::string problem = resource_intake::check_amounts({{c.resources, out.need}}, by_name);
    return problem.empty() ? device_holdings::check_detail(c.key, e.detail, out.need, by_name) : problem;
  }
  if (!c.application.empty()) {
    out.owner = submitted.find_application(c.application);
    if (std::string problem = application_problem(out.owner, c.application); !problem.empty()) return problem;
  }
  if (const resources *known = checked_.find(c.resources); known != nullptr) {
    out.need = *known;
    out.need_is_known = true;
  } else if (std::string problem = resource_intake::check_need(c.resources, out.need, by_name); !problem.empty()) {
    return problem;
  }
  if (std::string problem = check_devices(c.tags, out, by_name); !problem.empty()) return problem;
  if (!e.detail.empty()) {
    std::string problem = device_holdings::check_detail(c.key, e.detail, out.need, by_name);
    if (!problem.empty()) return problem;
  }
  out.priority = c.priority;
  if (std::string problem = check_priority(c.priority_class, out.priority); !problem.empty()) return problem;
  if (c.application.empty()) out.owner = submitted.find_application(application_id_of({}, c.key));
  if (const ask *a = out.owner == nullptr ? nullptr : out.owner->asks.find(c.key); a != nullptr && n != nullptr) {
    std::vector<allocation *> live(a->allocations.begin(), a->allocations.end());
    std::erase_if(live, [](const allocation *x) { return x->state == allocation_state::proposed; });
    const auto known =
        std::find_if(live.begin(), live.end(), [&](const allocation *x) { return x->sequence == e.sequence; });
    const bool here = std::any_of(live.begin(), live.end(), [&](const allocation *x) { return x->where == n; });
    const bool all_placed = static_cast<int64_t>(live.size()) >= c.max_allocations && !live.empty();
    const bool elsewhere =
        e.sequence != 0 ? known != live.end() && (*known)->where != n : !e.apart && all_placed && !here;
    if (elsewhere) return messages::allocation_elsewhere(c.key, n->id);
  }
  return {};
}

std::string ask_intake::admit(const existing_allocation &e, const node *n, ask_terms &out) {
  type_lookup by_name(types);
  std::string problem = check(e, n, out, by_name);
  intake.intern(by_name);
  if (problem.empty() && !e.foreign && !out.need_is_known) checked_.note(e.ask.resources, out.need);
  const bool independent = !e.foreign && e.ask.application.empty();
  if (problem.empty() && independent) out.owner = applications.independent_application(e.ask, problem);
  return problem;
}

// Of one whose node is unknown.
std::string ask_intake::problem_without_node(const tenon::put_allocation &c) const {
  const tenon::put_ask &a = c.allocation.ask;
  if (c.allocation.foreign) {
    return c.node.empty() ? messages::foreign_without_node(a.key) : messages::foreign_node_not_found(c.node, a.key);
  }
  std::string problem;
  if (!a.application.empty()) problem = application_problem(submitted.find_application(a.application), a.application);
  return problem.empty() ? messages::node_not_found(c.node) : problem;
}

void ask_intake::obey(const tenon::put_allocation &c) {
  const existing_allocation &e = c.allocation;
  node *n = nodes.find(c.node);
  ask_terms terms;
  std::string problem = e.ask.key.empty() ? messages::key_empty()
                        : n == nullptr    ? problem_without_node(c)
                                          : admit(e, n, terms);
  if (!problem.empty()) {
    decision_view &d = decisions.emit(decided::allocation_rejected{decisions.keep(std::move(problem))});
    d.application = decisions.keep(std::string(e.ask.application));
    d.key = decisions.keep(std::string(e.ask.key));
    d.node = decisions.keep(std::string(c.node));
    return;
  }
  if (e.foreign) {
    foreign.add(*n, e, terms.need);
    return unfit.end_on(*n);
  }
  add_existing(e, *n, false, terms);
}

void ask_intake::add_existing(const existing_allocation &e, node &n, bool node_is_new, const ask_terms &checked) {
  const tenon::put_ask &c = e.ask;
  application &app = *checked.owner;
  const resources &need = checked.need;
  const ask_key key(c.key);
  ask *a = app.asks.find(key);
  if (a != nullptr) {
    proposals.undo_all_of(*a, {cause::ask_changed});
    a = app.asks.find(key);  // it may be gone with them
  }
  if (a != nullptr) {
    const auto meant = std::find_if(a->allocations.begin(), a->allocations.end(), [&](const allocation *x) {
      return e.sequence != 0 ? x->sequence == e.sequence : x->where == &n;
    });
    const bool all_placed = static_cast<int64_t>(a->allocations.size()) >= c.max_allocations;
    const bool may_be_there = !node_is_new && (e.sequence != 0 || (!e.apart && all_placed));
    if (may_be_there && meant != a->allocations.end()) {
      allocations.resize(**meant, need, e.detail);
      return quotas.look_at_path(*app.home);
    }
  } else {
    a = &allocations.create_ask(app, key);
    fill_ask(*a, c, checked.priority, 0);
    a->class_id = classifier.classify(c.required_node, *a, need, checked.devices).id;
    changes.apply(ask_moved{*a, ask_event::accept_placed});
    keeps.add(*a);
  }
  states.lower_submission(app, c.create_time_ms);
  if (app.state == application_state::new_) states.run(app, messages::allocation_added());
  const size_t groups_before = app.task_groups.size();
  const allocation_terms terms{.class_id = classifier.plain_class(need, checked.devices).id,
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
  const allocation &x = allocations.place_existing(*a, n, terms, e.detail, e.bind_time_ms);
  if (a->state == ask_state::pending) {
    allocations.count_placed(*a);
  } else {
    changes.apply(ask_placed{*a, 1});
    const int32_t wanted = std::max(*a->max_allocations, *a->placed);
    keeps.want(*a, wanted);
    changes.apply(ask_wants{*a, wanted});
  }
  allocations.announce(x, terms, true);
  placeholder_timers.watch_left_over(app, false);
  states.after_placing(app, x);
  if (kept != nullptr) reservations.reopen(*kept);
  quotas.look_at_path(*app.home);
}

}  // namespace tenon::internal
