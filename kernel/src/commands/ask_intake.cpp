// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/ask_intake.hpp"

#include <algorithm>

#include "commands/application_intake.hpp"
#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "ledger/kept_counts.hpp"
#include "lifecycle/allocation_states.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "lifecycle/resource_intake.hpp"
#include "ready/ask_lines.hpp"
#include "ready/change_dispatcher.hpp"
#include "rules/gangs.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/proposals.hpp"
#include "rules/replacements.hpp"
#include "tenon/kernel/messages.hpp"
#include "told/decision_teller.hpp"
#include "told/fact_teller.hpp"

namespace tenon::internal {

// -- Asks. --

std::string ask_intake::check(const tenon::put_ask &c, ask_terms &out, type_lookup &by_name) const {
  if (c.key.empty()) return messages::key_empty();
  std::string problem;
  if (!c.application.empty()) {
    out.owner = of.find_application(c.application);
    problem = application_problem(out.owner, c.application);
  }
  if (problem.empty()) problem = check_need_of(c, out.need, by_name);
  if (problem.empty()) problem = device_holdings::check_ask(c.tags, out.need, by_name, out.devices);
  out.priority = c.priority;
  if (problem.empty()) problem = check_priority(c.priority_class, out.priority);
  return problem;
}

std::string ask_intake::check_need_of(const tenon::put_ask &c, resources &need, type_lookup &by_name) {
  if (c.max_allocations < 1) {
    const bool bad_amounts =
        std::all_of(c.resources.begin(), c.resources.end(), [](const auto &r) { return r.amount == 0; }) ||
        std::any_of(c.resources.begin(), c.resources.end(), [](const auto &r) { return r.amount < 0; });
    if (!bad_amounts) return messages::no_allocations_wanted();
  }
  return resource_intake::check_need(c.resources, need, by_name);
}

std::string ask_intake::application_problem(const application *app, std::string_view app_id) {
  if (app == nullptr) return messages::application_not_found(app_id);
  if (app->state == application_state::failing) return messages::application_has_ended(app_id, app->state.name());
  return {};
}

std::string ask_intake::check_priority(std::string_view class_name, int32_t &priority) const {
  if (class_name.empty()) return {};
  const auto found = priority_classes.find(std::string(class_name));
  if (found == priority_classes.end()) return messages::priority_class_unknown(class_name);
  priority = found->second;
  return {};
}

void ask_intake::obey(const tenon::put_ask &c) {
  ask_terms terms;
  type_lookup by_name(of.types);
  std::string problem = check(c, terms, by_name);
  intake.intern(by_name);
  if (problem.empty() && c.application.empty()) terms.owner = applications.independent_application(c, problem);
  if (!problem.empty()) return reject_ask(c, std::move(problem));
  application *app = terms.owner;
  ask *a = app->ask_named(c.key);
  if (a != nullptr) {
    proposals.undo_all_of(*a, {cause::ask_changed});
    a = app->ask_named(c.key);  // it may be gone with them
  }
  if (a != nullptr) {
    allocations.withdraw(*a);
    allocations.forget_wait(*a);
    keeps.remove(*a);
    changes.apply(ask_replaced{*a});
  } else {
    a = &allocations.create_ask(*app, c.key);
  }
  fill_ask(*a, c, terms.priority, c.max_allocations);
  keeps.add(*a);
  a->class_id = classifier.classify(c.required_node, *a, terms.need, std::move(terms.devices)).id;
  changes.apply(ask_placed{*a, static_cast<int32_t>(a->allocations.size() + a->under_way) - a->placed});
  states.lower_submission(*app, a->create_time_ms);
  if (a->pending() == 0) {
    changes.apply(ask_moved{*a, ask_event::accept_placed});
    return states.settle(*app);
  }
  changes.apply(ask_moved{*a, ask_event::accept});
  facts.tell(fact_kind::ask_added, *a);
  allocations.add_pending_of(*a, a->pending());
  lines.enqueue(*a);
  placeholder_timers.watch_left_over(*app, false);
  if (app->state == application_state::new_ || app->state == application_state::completing) {
    states.run(*app, messages::ask_added());
  }
  replacements.run_short_gang(*app);  // it may have been a placeholder
}

void ask_intake::fill_ask(ask &a, const tenon::put_ask &c, int32_t priority, int32_t wanted) {
  changes.apply(ask_filled{a, wanted});
  a.priority = priority;
  a.priority_class = nullptr;
  if (!c.priority_class.empty()) {
    auto named = named_classes_.find(c.priority_class);
    if (named == named_classes_.end()) named = named_classes_.emplace(c.priority_class).first;
    a.priority_class = &*named;
  }
  a.arrival = next_arrival_++;
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

void ask_intake::reject_ask(const tenon::put_ask &c, std::string why) {
  decision_view &d = decisions.emit(decided::ask_rejected{decisions.keep(std::move(why))});
  d.application = decisions.keep(std::string(c.application));
  d.key = decisions.keep(std::string(c.key));
}

}  // namespace tenon::internal
