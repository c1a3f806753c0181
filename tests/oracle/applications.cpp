// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications: intake, states and timers.
#include <algorithm>
#include <cstdlib>
#include <regex>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::naive {
namespace {

bool is_busy(application_state s) { return s == application_state::starting || s == application_state::running; }

bool is_user_name(const std::string &name) {
  static const std::regex valid("^[_a-zA-Z][a-zA-Z0-9:#/_.@-]*[$]?$");
  return std::regex_match(name, valid);
}

// When the application was created, as its resource manager says, but not in time to come; 0 when it does not say.
int64_t creation_ms(const application &a, int64_t now_ms) {
  const std::string text = tag_of(a.tags, "yunikorn.apache.org/creationTime");
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::min(now_ms, mul_saturating(std::atoll(text.c_str()), 1'000));
}

application values_of(const tenon::add_application &c) {
  application a;
  a.id = c.application;
  a.queue = c.queue;
  a.user = c.user;
  a.groups.assign(c.groups.begin(), c.groups.end());
  for (const named_text &tag : c.tags) a.tags.emplace(tag.key, tag.value);
  if (a.user.empty() && is_true(tag_of(a.tags, "application.create.force"))) {
    a.user = "nobody";
    a.groups = {"nogroup"};
  }
  a.execution_timeout_ms = c.execution_timeout_ms;
  if (amount_map gang = to_map(c.placeholder_ask); !all_zero(gang)) a.placeholder_ask = std::move(gang);
  a.hard_gang = c.hard_gang;
  return a;
}

}  // namespace

std::string gang_problem(const partition &p, const application &a) {
  if (a.placeholder_ask.empty()) return {};
  const auto policy = p.find_queue(a.queue)->properties.find("application.sort.policy");
  const std::string sorted = policy == p.find_queue(a.queue)->properties.end() ? "fifo" : lower(policy->second);
  if (sorted != "fifo" && sorted != "stateaware") return messages::gang_queue_not_fifo(a.queue, a.id, sorted);
  const amount_map max = p.max_on_path(a.queue);
  if (!fits_limit(max, {}, a.placeholder_ask)) {
    return messages::gang_larger_than_queue(a.queue, a.id, a.placeholder_ask, max);
  }
  return {};
}

decision &partition::emit(decision_kind kind, const std::string &application, const std::string &key) {
  decision &d = shared.emit(kind, rm);
  d.partition = name;
  d.application = application;
  d.key = key;
  return d;
}

application *partition::find_application(std::string_view id) {
  for (const auto &a : applications) {
    if (a->id == id) return a.get();
  }
  return nullptr;
}

application *partition::find_application(uint64_t uid) {
  for (const auto &a : applications) {
    if (a->uid == uid) return a.get();
  }
  return nullptr;
}

void partition::add_application(const tenon::add_application &c) {
  application values = values_of(c);
  const auto refuse = [&](std::string why, bool keep) { reject(values, std::move(why), keep); };
  if (values.id.empty()) return refuse(messages::application_without_id(), false);
  if (values.user.empty()) return refuse(messages::user_empty(), true);
  if (!is_user_name(values.user)) return refuse(messages::user_invalid(values.user), true);
  if (std::string why = problem_of_amounts({c.placeholder_ask}); !why.empty()) return refuse(why, true);
  if (std::string why = intern(names_in({c.placeholder_ask})); !why.empty()) return refuse(why, true);
  if (state != object_state::active)
    return refuse(messages::application_to_stopped_partition(name, values.id, tenon::name(state)), true);
  if (find_application(values.id) != nullptr) return refuse(messages::application_exists(values.id, name), false);
  const std::string submitted = values.queue;
  std::string why = place(values);
  if (!why.empty()) return refuse(messages::placement_failed(values.id, why), true);
  if (why = gang_problem(*this, values); !why.empty()) {
    values.queue = submitted;
    return refuse(why, true);
  }
  const application &a = create_application(std::move(values));
  emit(decision_kind::application_accepted, a.id).queue = a.queue;
}

application &partition::create_application(application values) {
  applications.push_back(std::make_unique<application>(std::move(values)));
  application &a = *applications.back();
  a.uid = shared.next_uid++;
  a.submission = next_submission++;
  shapes.followed |= tag_of(a.tags, "tenon/node-sort") == "gpu-pack";
  a.submitted_ms = shared.now_ms;
  a.created_ms = creation_ms(a, shared.now_ms);
  return a;
}

void partition::reject(application values, std::string why, bool keep) {
  emit(decision_kind::application_rejected, values.id).text = why;
  if (!keep) return;
  std::erase_if(ended, [&](const auto &old) {
    const bool again = old->id == values.id && old->state == application_state::rejected;
    if (again) shared.disarm([&](const timer &t) { return t.application == old->uid; });
    return again;
  });
  ended.push_back(std::make_unique<application>(std::move(values)));
  application &a = *ended.back();
  a.uid = shared.next_uid++;
  a.submitted_ms = a.finished_ms = shared.now_ms;
  fire(a, application_event::reject, why);
}

void partition::remove_application(const tenon::remove_application &c) {
  application *a = find_application(c.application);
  if (a == nullptr) return;
  undo_all([&](const proposal &p) { return p.owner == a; }, messages::application_removed(a->id), false);
  for (const allocation &x : a->allocations) {
    forget_refusals_on(x.node);
    tell(decision_kind::released, *a, x, termination::stopped_by_rm, messages::application_removed(a->id));
  }
  end_reservations_of(*a, messages::reservation_ask_gone());
  shared.disarm([&](const timer &t) { return t.application == a->uid; });
  std::erase_if(applications, [&](const auto &one) { return one.get() == a; });
}

void partition::fire(application &a, application_event e, std::string_view why) {
  const auto next = next_state(a.state, e);
  if (!next || *next == a.state) return;
  if (!why.empty()) a.message = why;
  enter(a, *next);
}

void partition::fire_run(application &a, std::string_view why) {
  const bool direct = is_true(tag_of(a.tags, "application.stateaware.disable"));
  fire(a, direct ? application_event::run_directly : application_event::run, why);
}

void partition::enter(application &a, application_state s) {
  const application_state from = a.state;
  const bool was_busy = is_busy(from);
  a.state = s;
  a.state_log.emplace_back(shared.now_ms, s);
  if (a.state_log.size() > most_states_kept) a.state_log.erase(a.state_log.begin() + 1);
  shared.disarm([&](const timer &t) { return t.application == a.uid && t.kind == timer_kind::application_state; });
  if (s != application_state::rejected && !a.independent) {
    decision &d = emit(decision_kind::application_state, a.id);
    d.queue = a.queue;
    d.text = tenon::name(s);
    d.detail = a.message;
  }
  if (s != application_state::accepted && !is_busy(s)) {
    undo_all([&](const proposal &p) { return p.owner == &a; }, messages::proposal_not_running(), true);
  }
  if (s != application_state::accepted && !is_busy(s)) end_reservations_of(a, messages::reservation_ask_gone());
  if (s == application_state::failing) {
    for (allocation &x : a.allocations) break_replacement(a, x, true);
  }
  const auto arm = [&](timer_kind kind, int64_t due) { shared.arm({due, 0, kind, this, a.uid, 0}); };
  const partition_tuning &after = config.tuning;
  if (s == application_state::starting) arm(timer_kind::application_state, shared.now_ms + after.starting_timeout_ms);
  if (s == application_state::completing)
    arm(timer_kind::application_state, shared.now_ms + after.completing_timeout_ms);
  if (is_busy(s) && !was_busy) {
    if (a.started_ms == 0) a.started_ms = shared.now_ms;
    if (a.execution_timeout_ms > 0 && a.placeholder_ask.empty()) {
      arm(timer_kind::application_execution, std::max(shared.now_ms, a.started_ms + a.execution_timeout_ms));
    }
  }
  if (was_busy && !is_busy(s)) {
    shared.disarm(
        [&](const timer &t) { return t.application == a.uid && t.kind == timer_kind::application_execution; });
  }
  const bool may_go_on = s == application_state::accepted || s == application_state::resuming;
  a.had_placeholder = a.had_placeholder && may_go_on && a.has_real();
  if (s == application_state::accepted) a.first_bind_ms.reset();
  if (from == application_state::new_ && s == application_state::accepted && !a.placeholder_ask.empty())
    arm_placeholder_timer(a, shared.now_ms);
  if (s != application_state::accepted && !is_busy(s)) {
    shared.disarm([&](const timer &t) { return t.application == a.uid && t.kind == timer_kind::placeholders; });
  }
  look_for_left_over(a, false);
  const bool ends = s == application_state::completed || s == application_state::failed;
  if (ends) end(a);
  if (ends || s == application_state::rejected) {
    arm(timer_kind::application_state, shared.now_ms + after.terminated_timeout_ms);
  }
}

void partition::end(application &a) {
  a.finished_ms = shared.now_ms;
  a.asks.clear();
  const auto at =
      std::find_if(applications.begin(), applications.end(), [&](const auto &one) { return one.get() == &a; });
  ended.push_back(std::move(*at));
  applications.erase(at);
}

void partition::settle(application &a, bool real_went) {
  look_for_left_over(a, real_went);
  look_at_gang(a);
  if (a.state == application_state::resuming) {
    const bool held =
        std::any_of(a.allocations.begin(), a.allocations.end(), [](const auto &x) { return x.placeholder; });
    if (held) return;
    fire_run(a, messages::no_placeholder_left());
    look_at_gang(a);
  }
  if (a.has_pending() || !a.allocations.empty()) return;
  if (a.state == application_state::accepted || is_busy(a.state)) {
    return fire(a, application_event::complete, messages::nothing_left());
  }
  if (a.state == application_state::failing) fire(a, application_event::fail);
}

void partition::drop_asks(application &a, termination why, const std::string &text, bool only_placeholders) {
  for (ask &k : a.asks) {
    if (k.pending() == 0 || (only_placeholders && !k.placeholder)) continue;
    end_reservation_of(a, k, messages::reservation_ask_gone());
    if (k.placeholder) a.placeholder_data[k.task_group].timed_out += k.pending();
    k.withdrawn = true;
    decision &d = emit(decision_kind::ask_released, a.id, k.key);
    d.queue = a.queue;
    d.why = why;
    d.placeholder = k.placeholder;
    d.text = text;
  }
  forget_idle_asks(a);
}

void partition::on_timer(const timer &t) {
  if (t.kind == timer_kind::cleaner) return clean();
  if (t.kind == timer_kind::drain) return fail_everything();
  if (t.kind == timer_kind::quota) return on_quota_timer(t.queue);
  if (t.kind == timer_kind::reservation_wait) return on_reservation_timer(t.reservation);
  if (t.kind == timer_kind::check) return on_check_timer(t.allocation);
  for (const auto *list : {&applications, &ended}) {
    for (const auto &a : *list) {
      if (a->uid != t.application) continue;
      if (t.kind == timer_kind::application_state) return on_state_timer(*a);
      if (t.kind == timer_kind::application_execution) return on_execution_timer(*a);
      if (t.kind == timer_kind::placeholders) return on_placeholder_timer(*a);
      if (t.kind == timer_kind::left_over_placeholders) {
        a->left_over = false;
        const bool undone = undo_placeholders(*a, messages::placeholders_of_completed());
        release_placeholders(*a, messages::placeholders_of_completed());
        if (!undone) return;
        drop_asks(*a, termination::timeout, messages::placeholders_of_completed(), true);
        return settle(*a);
      }
      for (allocation &x : a->allocations) {
        if (x.sequence == t.allocation) return expire(*a, x, messages::allocation_execution_timeout(x.key));
      }
      return;
    }
  }
}

void partition::on_state_timer(application &a) {
  if (a.state == application_state::starting) {
    return fire(a, application_event::run, messages::starting_timeout(since(a)));
  }
  if (a.state == application_state::completing) {
    return fire(a, application_event::complete, messages::completing_timeout(since(a)));
  }
  fire(a, application_event::expire, messages::terminated_timeout(since(a), tenon::name(a.state)));
  std::erase_if(ended, [&](const auto &one) { return one.get() == &a; });
}

void partition::on_execution_timer(application &a) {
  fire(a, application_event::fail, messages::execution_timeout(shared.now_ms - a.started_ms));
  for (allocation &x : a.allocations) expire(a, x, messages::execution_timeout());
  drop_asks(a, termination::timeout, messages::execution_timeout());
  settle(a);
}

void partition::fail_application(const tenon::fail_application &c) {
  application *a = find_application(c.application);
  if (a == nullptr || !next_state(a->state, application_event::fail) || a->state == application_state::failing) return;
  const std::string why = messages::application_killed(c.text);
  fire(*a, application_event::fail, why);
  for (allocation &x : a->allocations) expire(*a, x, why);
  drop_asks(*a, termination::timeout, why);
  settle(*a);
}

}  // namespace tenon::naive
