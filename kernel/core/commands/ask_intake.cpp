// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/ask_intake.hpp"

#include <algorithm>

#include "commands/application_intake.hpp"
#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "lifecycle/allocation_states.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "lifecycle/resource_intake.hpp"
#include "model/application_id.hpp"
#include "model/may_run.hpp"
#include "outbound/decision_teller.hpp"
#include "outbound/fact_teller.hpp"
#include "policies/node_sorting.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/gangs.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/proposals.hpp"
#include "rules/replacements.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

// -- Asks. --

std::string ask_intake::check(const tenon::put_ask &c, ask_terms &out) {
  if (c.key.empty()) return messages::key_empty();
  if (!c.application.empty()) {
    out.owner = submitted.find_application(c.application);
    if (std::string problem = application_problem(out.owner, c.application); !problem.empty()) return problem;
  }
  out.known = c.max_allocations < 1 ? nullptr : find_checked(c.resources);
  if (out.known == nullptr) {
    if (std::string problem = check_need_of(c, out.need); !problem.empty()) return problem;
    if (c.max_allocations >= 1) note_checked(c.resources, out.need);
  }
  // What is there of an ask of this key is looked at only where that decides.
  if (intake.asks_too_much(out.wanted(), c.max_allocations)) {
    if (std::string problem = check_asked(c, out); !problem.empty()) return problem;
  }
  if (std::string problem = check_devices(c.tags, out); !problem.empty()) return problem;
  out.priority = c.priority;
  return c.priority_class.empty() ? std::string() : check_priority(c.priority_class, out.priority);
}

// Of an ask of this key that is there, what is pending or proposed goes.
std::string ask_intake::check_asked(const tenon::put_ask &c, const ask_terms &terms) const {
  const application *app =
      c.application.empty() ? submitted.find_application(application_id_of({}, c.key)) : terms.owner;
  const ask *old = app == nullptr ? nullptr : app->asks.find(c.key);
  int64_t goes = 0, stays = 0;
  if (old != nullptr) {
    goes = old->pending();
    stays = static_cast<int64_t>(old->allocations.size()) + old->under_way;
    for (const proposal &p : app->proposals) {
      if (&p.of() != old) continue;
      --stays;
      goes += p.made != nullptr ? 1 : 0;
    }
  }
  return intake.check_sum(terms.wanted(), std::max<int64_t>(0, c.max_allocations - stays), [&](type_index t) {
    const int64_t gone = goes == 0 ? 0 : mul_saturating(classes[old->class_id].need[t], goes);
    return sub_saturating(intake.asked_and_used(t), gone);
  });
}

std::string ask_intake::check_devices(texts tags, ask_terms &out) const {
  return tags.empty() ? std::string() : device_holdings::check_ask(tags, out.wanted(), types, out.devices);
}

// Null: it has to be checked. A type that is forgotten since may have given its index away.
const resources *ask_intake::find_checked(amounts said) const {
  const resources *known = checked_for_ == types.version() ? checked_.find(said) : nullptr;
  if (known != nullptr) intake.keep(*known);
  return known;
}

void ask_intake::note_checked(amounts said, const resources &need) {
  if (checked_for_ != types.version()) checked_ = {};
  checked_for_ = types.version();
  checked_.note(said, need);
}

std::string ask_intake::check_need_of(const tenon::put_ask &c, resources &need) const {
  if (c.max_allocations < 1) {
    const bool bad_amounts =
        std::all_of(c.resources.begin(), c.resources.end(), [](const auto &r) { return r.amount == 0; }) ||
        std::any_of(c.resources.begin(), c.resources.end(), [](const auto &r) { return r.amount < 0; });
    if (!bad_amounts) return messages::no_allocations_wanted(c.max_allocations);
  }
  return intake.check_need(c.resources, need);
}

std::string ask_intake::application_problem(const application *app, std::string_view app_id) {
  if (app == nullptr) return messages::application_not_found(app_id);
  if (app->state == application_state::failing) return messages::application_has_ended(app_id, app->state.name());
  return {};
}

std::string ask_intake::check_priority(std::string_view class_name, int32_t &priority) const {
  const auto found = priority_classes.find(std::string(class_name));
  if (found == priority_classes.end()) {
    std::vector<std::string_view> known;
    for (const auto &[name, value] : priority_classes) known.push_back(name);
    return messages::priority_class_unknown(class_name, known);
  }
  priority = found->second;
  return {};
}

void ask_intake::obey(const tenon::put_ask &c) {
  ask_terms terms;
  std::string problem = check(c, terms);
  if (problem.empty() && c.application.empty()) terms.owner = applications.independent_application(c, problem);
  if (!problem.empty()) return reject_ask(c, std::move(problem));
  application *app = terms.owner;
  const ask_key key(c.key);
  ask *a = app->asks.find(key);
  if (a != nullptr && says_the_same(*a, c, terms)) return;
  sortings.ask_came(terms.wanted(), c.tags, c.max_allocations);
  if (a != nullptr) {
    proposals.undo_all_of(*a, {cause::ask_changed});
    a = app->asks.find(key);  // it may be gone with them
  }
  if (a != nullptr) {
    allocations.withdraw(*a);
    allocations.begin_anew(*a);
    changes.apply(ask_replaced{*a});
  } else {
    a = &allocations.create_ask(*app, key);
  }
  fill_ask(*a, c, terms.priority, c.max_allocations);
  a->class_id = classifier.classify(c.required_node, *a, terms.wanted(), terms.devices).id;
  changes.apply(ask_placed{*a, static_cast<int32_t>(a->allocations.size() + a->under_way) - a->placed});
  facts.tell_time(*app, c.key, messages::creation_time, c.create_time_ms);
  states.lower_submission(*app, a->create_time_ms);
  if (a->pending() == 0) {
    changes.apply(ask_moved{*a, ask_event::accept_placed});
    return states.settle(*app);
  }
  changes.apply(ask_moved{*a, ask_event::accept});
  allocations.add_pending_of(*a, a->pending());
  lines.enqueue(*a);
  placeholder_timers.watch_left_over(*app, false);
  if (app->state == application_state::completing && full_queue_on_path_of(*app) != nullptr) {
    states.move(*app, application_event::wait, messages::ask_added());
  } else if (app->state == application_state::new_ || app->state == application_state::completing) {
    states.run(*app, messages::ask_added());
  }
  replacements.run_short_gang(*app);  // it may have been a placeholder
}

bool ask_intake::says_the_same(const ask &a, const tenon::put_ask &c, const ask_terms &terms) {
  const ask_class &known = classes[a.class_id];
  const auto there = static_cast<int32_t>(a.allocations.size() + a.under_way);
  const bool same_terms = a.state != ask_state::released && a.placed == there &&
                          a.max_allocations == c.max_allocations && a.priority == terms.priority &&
                          known.need == terms.wanted() && known.required_node == c.required_node;
  const bool same_words = a.placeholder == (c.placeholder && !c.task_group.empty()) && a.originator == c.originator &&
                          a.preempt_self == c.allow_preempt_self && a.preempt_other == c.allow_preempt_other &&
                          (a.gang == nullptr ? c.task_group.empty() : a.gang->name == c.task_group) &&
                          (c.create_time_ms == 0 || a.create_time_ms == shared.past_time(c.create_time_ms));
  if (!same_terms || !same_words) return false;
  ask_details said;
  fill_details(said, c);
  return a.execution_timeout_ms() == said.execution_timeout_ms && a.priority_class() == said.priority_class &&
         a.tags() == said.tags;
}

void ask_intake::fill_ask(ask &a, const tenon::put_ask &c, int32_t priority, int32_t wanted) {
  a.priority = priority;
  a.arrival = next_arrival_++;
  a.create_time_ms = shared.past_time(c.create_time_ms);
  a.placeholder = c.placeholder && !c.task_group.empty();
  a.originator = c.originator;
  a.preempt_self = c.allow_preempt_self;
  a.preempt_other = c.allow_preempt_other;
  a.gang = nullptr;
  if (!c.task_group.empty()) {
    a.gang = gangs.group_named(*a.owner, c.task_group);
  }
  const bool says_more = !c.priority_class.empty() || c.execution_timeout_ms != 0 || !c.tags.empty();
  if (says_more || a.more_said != nullptr) fill_details(a.details(), c);
  changes.apply(ask_filled{a, wanted});
}

void ask_intake::fill_details(ask_details &out, const tenon::put_ask &c) {
  out.execution_timeout_ms = c.execution_timeout_ms;
  out.priority_class = nullptr;
  if (!c.priority_class.empty()) {
    auto named = named_classes_.find(c.priority_class);
    if (named == named_classes_.end()) named = named_classes_.emplace(c.priority_class).first;
    out.priority_class = &*named;
  }
  out.tags.clear();
  for (const named_text &tag : c.tags) out.tags.emplace_back(tag.key, tag.value);
  std::sort(out.tags.begin(), out.tags.end());
}

void ask_intake::reject_ask(const tenon::put_ask &c, std::string why) {
  decision_view &d = decisions.emit(decided::ask_rejected{decisions.keep(std::move(why))});
  d.application = decisions.keep(std::string(c.application));
  d.key = decisions.keep(std::string(c.key));
}

}  // namespace tenon::internal
