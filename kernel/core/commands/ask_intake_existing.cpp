// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/names_beside.hpp"
#include "commands/application_intake.hpp"
#include "commands/ask_intake.hpp"
#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "lifecycle/allocation_states.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "lifecycle/foreign_allocations.hpp"
#include "lifecycle/resource_intake.hpp"
#include "model/application_id.hpp"
#include "outbound/decision_teller.hpp"
#include "outbound/fact_teller.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/gangs.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/proposals.hpp"
#include "rules/quotas.hpp"
#include "rules/reservations.hpp"
#include "rules/unfit_placements.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::string ask_intake::check(const existing_allocation &e, const node *n, ask_terms &out) {
  const tenon::put_ask &c = e.ask;
  if (c.key.empty()) return messages::key_empty();
  if (e.foreign) {
    for (const named_amount &item : c.resources) {
      if (item.amount < 0) return messages::negative_resources(item.type, item.amount);
    }
    std::string problem = intake.check_amounts({{c.resources, out.need}});
    return problem.empty() ? device_holdings::check_detail(c.key, e.detail, out.need, types) : problem;
  }
  if (!c.application.empty()) {
    out.owner = submitted.find_application(c.application);
    if (std::string problem = application_problem(out.owner, c.application); !problem.empty()) return problem;
  }
  if (const resources *known = find_checked(c.resources); known != nullptr) {
    out.need = *known;
  } else {
    if (std::string problem = intake.check_need(c.resources, out.need); !problem.empty()) return problem;
    note_checked(c.resources, out.need);
  }
  if (std::string problem = check_devices(c.tags, out); !problem.empty()) return problem;
  if (!e.detail.empty()) {
    std::string problem = device_holdings::check_detail(c.key, e.detail, out.need, types);
    if (!problem.empty()) return problem;
  }
  out.priority = c.priority;
  if (!c.priority_class.empty()) {
    if (std::string problem = check_priority(c.priority_class, out.priority); !problem.empty()) return problem;
  }
  if (c.application.empty()) out.owner = submitted.find_application(application_id_of({}, c.key));
  if (const ask *a = out.owner == nullptr ? nullptr : out.owner->asks.find(c.key); a != nullptr && n != nullptr) {
    const allocation *meant = meant_by(e, *a, *n);
    const bool elsewhere = meant != nullptr && meant->where != n;
    if (elsewhere) return messages::allocation_elsewhere(c.key, n->id);
  }
  return {};
}

// The allocation of the ask that takes what is reported; null: none does, and one more is there.
allocation *ask_intake::meant_by(const existing_allocation &e, const ask &a, const node &n) {
  const auto is_live = [](const allocation *x) { return x != nullptr && x->state != allocation_state::proposed; };
  if (e.sequence != 0) {
    allocation *named = a.allocations.find(e.sequence);
    return is_live(named) ? named : nullptr;
  }
  const auto most = static_cast<size_t>(std::max(0, e.ask.max_allocations));
  if (e.apart || a.allocations.size() < most) return nullptr;
  size_t live = 0;
  allocation *first = nullptr, *here = nullptr;
  for (allocation *x : a.allocations) {
    if (!is_live(x)) continue;
    ++live;
    if (first == nullptr) first = x;
    if (here == nullptr && x->where == &n) here = x;
    if (here != nullptr && live >= most) break;
  }
  if (live < most) return nullptr;
  return here != nullptr ? here : first;
}

// "" or which sum of its node or of the partition would become too large. What is there of it already is looked at only
// where that decides.
std::string ask_intake::check_sums(const existing_allocation &e, const node *n, const existing_sums &sums,
                                   const ask_terms &terms) const {
  const auto on_node = [&](type_index t) { return sums.on_node[t]; };
  // With what is pending an int64_t holds it.
  const auto allocated = [&](type_index t) {
    return add_saturating(add_saturating(root->allocated[t], sums.allocated[t]),
                          root->pending[t] == largest_sum ? 1 : 0);
  };
  const bool fits =
      !intake.is_too_much(terms.need, 1, on_node) && (e.foreign || !intake.is_too_much(terms.need, 1, allocated));
  if (fits) return {};
  const allocation *old = nullptr;
  if (e.foreign) {
    old = foreign.find(e.ask.key);
  } else if (const ask *a = terms.owner == nullptr ? nullptr : terms.owner->asks.find(e.ask.key);
             a != nullptr && n != nullptr) {
    old = meant_by(e, *a, *n);
  }
  const auto before = [&](type_index t) { return old == nullptr ? int64_t{0} : classes[old->class_id].need[t]; };
  std::string problem = intake.check_sum(terms.need, 1, [&](type_index t) {
    return sub_saturating(on_node(t), old != nullptr && old->where == n ? before(t) : 0);
  });
  if (!problem.empty() || e.foreign) return problem;
  return intake.check_sum(terms.need, 1, [&](type_index t) { return sub_saturating(allocated(t), before(t)); });
}

std::string ask_intake::admit(const existing_allocation &e, const node *n, existing_sums &sums, ask_terms &out) {
  std::string problem = check(e, n, out);
  if (problem.empty()) {
    problem = check_sums(e, n, sums, out);
    sums.on_node += out.need;
    if (!e.foreign) sums.allocated += out.need;
  }
  const bool independent = !e.foreign && e.ask.application.empty();
  if (problem.empty() && independent) out.owner = applications.independent_application(e.ask, problem);
  return problem;
}

// Of one whose node is unknown.
std::string ask_intake::problem_without_node(const tenon::put_allocation &c) const {
  const tenon::put_ask &a = c.allocation.ask;
  if (c.allocation.foreign) {
    return c.node.empty() ? messages::foreign_without_node(a.key)
                          : messages::foreign_node_not_found(c.node, a.key, names_beside(nodes.by_id(), c.node));
  }
  std::string problem;
  if (!a.application.empty()) problem = application_problem(submitted.find_application(a.application), a.application);
  return problem.empty() ? messages::node_not_found(c.node, names_beside(nodes.by_id(), c.node)) : problem;
}

void ask_intake::obey(const tenon::put_allocation &c) {
  const existing_allocation &e = c.allocation;
  node *n = nodes.find(c.node);
  ask_terms terms;
  existing_sums sums;
  if (n != nullptr) {
    sums.on_node = n->occupied;
    sums.on_node += n->allocated;
  }
  std::string problem = e.ask.key.empty() ? messages::key_empty()
                        : n == nullptr    ? problem_without_node(c)
                                          : admit(e, n, sums, terms);
  if (!problem.empty()) {
    decision_view &d = decisions.emit(decided::allocation_rejected{decisions.keep(std::move(problem))});
    d.application = decisions.keep(std::string(e.ask.application));
    d.key = decisions.keep(std::string(e.ask.key));
    d.node = decisions.keep(std::string(c.node));
    return;
  }
  if (e.foreign) {
    foreign.add(*n, e, terms.need);
  } else {
    add_existing(e, *n, false, terms);
  }
  unfit.end_on(*n);
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
    if (allocation *meant = node_is_new ? nullptr : meant_by(e, *a, n); meant != nullptr) {
      allocations.resize(*meant, need, e.detail);
      return quotas.look_at_path(*app.home);
    }
  } else {
    a = &allocations.create_ask(app, key);
    fill_ask(*a, c, checked.priority, 0);
    a->class_id = classifier.classify(c.required_node, *a, need, checked.devices).id;
    changes.apply(ask_moved{*a, ask_event::accept_placed});
  }
  facts.tell_time(app, c.key, messages::creation_time, c.create_time_ms);
  facts.tell_time(app, c.key, messages::bind_time, e.bind_time_ms);
  states.lower_submission(app, c.create_time_ms);
  if (app.state == application_state::new_) states.run(app, messages::allocation_added());
  const allocation_terms terms{.class_id = classifier.plain_class(need, checked.devices).id,
                               .priority = checked.priority,
                               .placeholder = c.placeholder && !c.task_group.empty(),
                               .originator = c.originator,
                               .preempt_self = c.allow_preempt_self,
                               .bound = !c.required_node.empty(),
                               .gang = gangs.group_named(app, c.task_group),
                               .create_time_ms = shared.past_time(c.create_time_ms),
                               .execution_timeout_ms = c.execution_timeout_ms};
  node *kept = reservations.use(*a);
  const allocation &x = allocations.place_existing(*a, n, terms, e.detail, e.bind_time_ms);
  if (a->state == ask_state::pending) {
    allocations.count_placed(*a);
  } else {
    changes.apply(ask_placed{*a, 1});
    const int32_t wanted = std::max(*a->max_allocations, *a->placed);
    changes.apply(ask_wants{*a, a->max_allocations, wanted});
  }
  allocations.announce(x, terms, true);
  placeholder_timers.watch_left_over(app, false);
  states.after_placing(app, x);
  if (kept != nullptr) reservations.reopen(*kept);
  quotas.look_at_path(*app.home);
}

}  // namespace tenon::internal
