// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/application_intake.hpp"

#include <algorithm>
#include <charconv>

#include "base/tags.hpp"
#include "commands/canary.hpp"
#include "commands/chosen_node_orders.hpp"
#include "core.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/queue_tree.hpp"
#include "lifecycle/resource_intake.hpp"
#include "model/application_id.hpp"
#include "outbound/decision_teller.hpp"
#include "outbound/fact_teller.hpp"
#include "policies/prepared_words.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/limits.hpp"
#include "rules/placement.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::internal {
namespace {

// When the application was created, as its RM says in a tag; 0 when it does not.
int64_t creation_in(texts tags) {
  const std::string_view text = find_tag(tags, "yunikorn.apache.org/creationTime");
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool number = error == std::errc{} && end == text.data() + text.size();
  return number && seconds > 0 ? mul_saturating(seconds, 1'000) : 0;
}

void submit_as_nobody(add_application &c) {
  static constexpr std::string_view nogroup = "nogroup";
  c.user = "nobody";
  c.groups = names(&nogroup, 1);
}

tag_list sorted_tags(texts tags) {
  tag_list out;
  for (const named_text &tag : tags) out.emplace_back(tag.key, tag.value);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

void application_intake::reject_application(const tenon::add_application &c, std::string why, bool keep_it) {
  decisions.emit(decided::application_rejected{decisions.keep(why)}).application =
      decisions.keep(std::string(c.application));
  facts.tell_rejected(c, why);
  if (keep_it) states.keep_rejected(c, std::move(why));
}

void application_intake::obey(const tenon::add_application &c) {
  if (c.application.empty()) return reject_application(c, messages::application_without_id(), false);
  tenon::add_application as = c;
  const bool forced = tag_is_true(c.tags, "application.create.force");
  if (c.user.empty()) {
    if (!forced) return reject_application(c, messages::user_empty(), true);
    submit_as_nobody(as);
  } else if (!is_user_name(c.user)) {
    return reject_application(c, messages::user_invalid(c.user), true);
  }
  application_terms terms;
  std::string problem = intake.check_amounts({{c.placeholder_ask, terms.gang}});
  if (!problem.empty()) return reject_application(as, std::move(problem), true);
  if (identity.state != object_state::active) {
    return reject_application(
        as, messages::application_to_stopped_partition(identity.name, c.application, identity.state.name()), true);
  }
  if (submitted.find_application(c.application) != nullptr) {
    return reject_application(c, messages::application_exists(c.application, identity.name), false);
  }
  problem = check_place(as, terms);
  if (!problem.empty()) return reject_application(as, std::move(problem), true);
  take_in(as, std::move(terms), false);
}

std::string application_intake::check_place(const tenon::add_application &c, application_terms &out) {
  placement::place where;
  std::string problem = placement.find_place(c, where);
  if (!problem.empty()) return messages::placement_failed(c.application, problem);
  out.leaf = &placement.make(where, c.tags);
  if (!is_zero(out.gang)) problem = gang_problem(*out.leaf, out.gang, c.application);
  out.tags = sorted_tags(c.tags);
  return problem.empty() ? prepare_submitted(*out.leaf, c.application, out.tags, out.prepared) : problem;
}

std::string application_intake::prepare_submitted(const queue &leaf, std::string_view app_id, const tag_list &tags,
                                                  std::array<uint64_t, 4> &words) const {
  const prepared_words made = prepare(*leaf.order, text_pairs(tags));
  words = made.words;
  if (made.failed) ++shared.counters.policy_faults;
  return made.refused ? messages::order_refused_application(app_id, leaf.order->bound->name, leaf.path, made.why)
                      : std::string{};
}

std::string application_intake::gang_problem(const queue &leaf, const resources &gang, std::string_view app_id) const {
  const std::string &sort = leaf.order->bound->name;
  if (sort != "fifo" && sort != "stateaware") return messages::gang_queue_not_fifo(leaf.path, app_id, sort);
  const resources max = queue_tree::configured_max(leaf);
  if (fit_in_undefined_unlimited(max, gang)) return {};
  return messages::gang_larger_than_queue(leaf.path, app_id, configured_values(gang, types),
                                          configured_values(max, types));
}

application &application_intake::take_in(const tenon::add_application &c, application_terms terms, bool independent) {
  application &app = states.create_application(c.application, *terms.leaf);
  app.user = c.user;
  app.groups.assign(c.groups.begin(), c.groups.end());
  app.tags = std::move(terms.tags);
  app.prepared = terms.prepared;
  app.nodes_by = chosen_orders.choose(c.tags);
  canary.place(app);
  app.submitted_queue = c.queue;
  app.execution_timeout_ms = c.execution_timeout_ms;
  app.placeholder_ask = std::move(terms.gang);
  app.placeholder_ask.prune();
  app.hard_gang = c.hard_gang;
  app.direct_running = tag_is_true(c.tags, "application.stateaware.disable");
  const int64_t said_ms = creation_in(c.tags);
  app.said_creation_ms = std::min(said_ms, shared.now_ms);
  app.independent = independent;
  changes.apply(application_admitted{app});
  facts.tell_time(app, {}, messages::creation_time, said_ms);
  limits.attach(app);
  return app;
}

application *application_intake::independent_application(const tenon::put_ask &c, std::string &problem) {
  const std::string app_id = application_id_of({}, c.key);
  if (application *app = submitted.find_application(app_id); app != nullptr) {
    if (app->state == application_state::failing) problem = messages::application_has_ended(app_id, app->state.name());
    return problem.empty() ? app : nullptr;
  }
  if (identity.state != object_state::active) {
    problem = messages::application_to_stopped_partition(identity.name, app_id, identity.state.name());
    return nullptr;
  }
  tenon::add_application as;
  as.application = app_id;
  submit_as_nobody(as);
  as.tags = c.tags;
  application_terms terms;
  problem = check_place(as, terms);
  return problem.empty() ? &take_in(as, std::move(terms), true) : nullptr;
}

// Its node is refused after all: nothing stays of the application that was made for it.
void application_intake::forget_unused_independent(const existing_allocation &e) {
  if (e.foreign || !e.ask.application.empty()) return;
  application *app = submitted.find_application(application_id_of({}, e.ask.key));
  if (app == nullptr || app->state != application_state::new_) return;
  states.forget_new(*app);
}

void application_intake::obey(const tenon::remove_application &c) {
  if (application *app = submitted.find_application(c.application); app != nullptr) states.remove(*app);
}

// -- What people do. --

std::string application_intake::check(const tenon::fail_application &c, application *&out) const {
  out = submitted.find_application(c.application);
  if (out == nullptr) return messages::no_application(c.application);
  // One that fails already has failed only when all of it is gone.
  const bool possible = out->state.may(application_event::fail) && out->state != application_state::failing;
  return possible ? std::string{} : out->state.refusal(application_event::fail);
}

std::string application_intake::problem_with(const tenon::fail_application &c) const {
  application *ignored = nullptr;
  return check(c, ignored);
}

void application_intake::obey(const tenon::fail_application &c) {
  application *app = nullptr;
  if (!check(c, app).empty()) return;
  const std::string_view text = decisions.keep(messages::application_killed(c.text));
  states.fail(*app, text, {cause::given, text});
}

}  // namespace tenon::internal
