// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/canary.hpp"

#include <algorithm>
#include <utility>

#include "commands/chosen_node_orders.hpp"
#include "core.hpp"
#include "cycle/policy_faults.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/sort_keys.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

// FNV-1a of the salt, a byte 0 and the id, its bits mixed: those of FNV alone are uneven for ids that count.
uint32_t canary_place(std::string_view salt, std::string_view application) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3; };
  for (const char c : salt) add(c);
  add('\0');
  for (const char c : application) add(c);
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
  return static_cast<uint32_t>((hash ^ hash >> 33) % canary_config::whole);
}

// -- Configurations. --

std::string canary::stage(const partition_config &c) {
  staged_ = {};
  changed_ = config.canary != c.canary;
  if (!changed_ || c.canary.empty()) return {};
  return bind(c.canary.front(), staged_);
}

std::string canary::bind(const canary_config &c, bound_canary &out) const {
  if (c.kind() == module_kind::predicate) {
    auto bound = shared.policies.bind(module_kind::predicate, c.predicate, "{}", types.limit());
    if (!bound) return bound.why().text();
    auto wrapped = wrap_predicate(std::move(*bound));
    if (!wrapped) return wrapped.why().text();
    out.predicate = std::make_unique<node_predicate>(std::move(*wrapped));
    return {};
  }
  std::string problem = bind_sort_policy(shared.policies, module_kind::node_sort, c.node_sort.type,
                                         node_sort_json(c.node_sort), types.limit(), out.order);
  if (problem.empty()) out.order->canary = true;
  return problem;
}

void canary::adopt() {
  if (!std::exchange(changed_, false)) return;
  drop();
  begin(std::exchange(staged_, {}));
}

// Nothing bound: there is none.
void canary::begin(bound_canary policy) {
  sortings.of_canary = {policy.order != nullptr || policy.predicate != nullptr, {}, shared.now_ms};
  tally_ = {};
  if (policy.order != nullptr) {
    sortings.canary = std::make_unique<node_sorting>();
    sortings.canary->policy = std::move(policy.order);
    sortings.start(*sortings.canary);
  }
  predicate_changed_ |= policy.predicate != nullptr;
  if (policy.predicate != nullptr) verdicts.adopt_canary(std::move(policy.predicate));
  place_all();
}

// -- Applications. --

bool canary::takes(const application &app) const {
  if (!is_in_place() || app.home == nullptr) return false;
  const canary_config &c = config.canary.front();
  const std::string_view path = app.home->path;
  const auto holds = [&](const std::string &top) {
    return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '.');
  };
  if (!c.queues.empty() && std::none_of(c.queues.begin(), c.queues.end(), holds)) return false;
  return c.share == canary_config::whole || canary_place(c.salt, app.id) < c.share;
}

void canary::place(application &app) {
  if (!is_in_place()) return;
  app.in_canary = !is_on_neither_side(app) && takes(app);
  if (app.in_canary && sortings.canary != nullptr) app.nodes_by = sortings.canary.get();
}

// An order that it chose goes before that of a canary.
bool canary::is_on_neither_side(const application &app) const {
  const bool chose = app.nodes_by != nullptr && app.nodes_by != sortings.canary.get();
  return chose && config.canary.front().kind() == module_kind::node_sort;
}

void canary::moved(application &app) {
  if (!is_in_place()) return;
  const bool before = app.in_canary;
  if (before && sortings.canary != nullptr) app.nodes_by = nullptr;
  place(app);
  if (app.in_canary != before) reclassify();
}

void canary::place_all() {
  for (application *app : of.by_submission()) place(*app);
  keys.forget_periods();
  reclassify();
}

// What waits may be placed where it could not.
void canary::reclassify() {
  classifier.score_changed();
  const bool of_predicate = std::exchange(predicate_changed_, false);
  if (classifier.canary_changed() || of_predicate) changes.apply(verdicts_forgotten{});
}

void canary::drop() {
  for (application *app : of.by_submission()) {
    if (!std::exchange(app->in_canary, false)) continue;
    if (sortings.canary != nullptr) app->nodes_by = nullptr;
  }
  if (sortings.canary != nullptr) {
    faults.retire(std::move(sortings.canary->policy));
    sortings.canary = nullptr;
  }
  predicate_changed_ = verdicts.of_canary() != nullptr;
  if (predicate_changed_) verdicts.adopt_canary(nullptr);
}

// -- Going back. --

void canary::go_back(std::string why) {
  sortings.of_canary = {false, std::move(why), shared.now_ms};
  drop();
  place_all();
  changes.apply(canary_returned{shared.keep(sortings.of_canary.why)});
}

void canary::go_back_by_itself(std::string why) {
  ++shared.counters.canaries_back;
  go_back(std::move(why));
}

void canary::decided(std::span<const decision_view> told) {
  for (const decision_view &d : told) {
    // One that is proposed in the place of a placeholder is about its ask: no node was searched for.
    const bool placed = d.is(decision_kind::allocated) || d.is(decision_kind::proposed);
    if (placed && d.about_allocation) count(*static_cast<const allocation *>(d.subject));
  }
  if (has_failed() && !tally_.fault_is_counted) count_fault();
  if (!is_in_place()) return;
  std::string why = look_at_waiting();
  if (why.empty()) why = compare_waiting();
  if (!why.empty()) go_back_by_itself(std::move(why));
}

void canary::end_command() {
  if (!has_failed()) return;
  if (!tally_.fault_is_counted) count_fault();
  tally_.fault_is_counted = false;
  if (sortings.canary != nullptr) ask_policy_again();
  verdicts.end_command_of_canary();
}

// One at most in a command: the policy is not asked again before the next.
void canary::count_fault() {
  tally_.fault_is_counted = true;
  const canary_config &c = config.canary.front();
  if (++tally_.faults >= c.back.faults) {
    go_back_by_itself(messages::canary_failed(c.kind(), c.policy(), tally_.faults));
  }
}

void canary::ask_policy_again() {
  std::unique_ptr<sort_policy> sound = faults.take_failed_canary();
  if (sound == nullptr) return;
  sort_policy &now = *sortings.canary->policy;
  sound->calls = now.calls;
  sound->faults = now.faults;
  now = std::move(*sound);
  sortings.start(*sortings.canary);
  keys.forget_periods();
  classifier.score_changed();
}

void canary::count(const allocation &placed) {
  // More than anybody waits, and little enough that a million of it can be summed.
  constexpr int64_t longest_ms = 1'000'000'000'000;
  const int64_t waited = std::clamp<int64_t>(sub_saturating(shared.now_ms, placed.create_time_ms), 0, longest_ms);
  kernel_counters &all = shared.counters;
  if (is_on_neither_side(*placed.owner)) return;
  if (!placed.owner->in_canary) {
    tally_.others.add(waited);
    tally_.others_next.add(waited);
    ++all.others_placed;
    all.others_waited_ms += static_cast<uint64_t>(waited);
  } else {
    tally_.its.add(waited);
    tally_.its_next.add(waited);
    ++tally_.placed;
    if (waited > config.canary.front().back.waiting_p99_ms) ++tally_.longer;
    ++all.canary_placed;
    all.canary_waited_ms += static_cast<uint64_t>(waited);
  }
}

std::string canary::look_at_waiting() {
  const canary_limits &back = config.canary.front().back;
  if (tally_.placed < back.placements) return {};
  const uint32_t placed = std::exchange(tally_.placed, 0), longer = std::exchange(tally_.longer, 0);
  const bool waits = back.waiting_p99_ms > 0 && uint64_t{longer} * 100 > placed;
  return waits ? messages::canary_waits(longer, placed, back.waiting_p99_ms) : std::string{};
}

std::string canary::compare_waiting() {
  constexpr int64_t least_ms = 1'000;  // of the others, so that milliseconds decide nothing
  const canary_limits &back = config.canary.front().back;
  if (tally_.its_next.placed < back.placements || tally_.others_next.placed < back.placements) return {};
  const int64_t its = std::exchange(tally_.its_next, {}).average_ms();
  const int64_t others = std::exchange(tally_.others_next, {}).average_ms();
  const bool waits = back.waiting_factor > 0 &&
                     mul_saturating(its, 1'000) > mul_saturating(std::max(others, least_ms), back.waiting_factor);
  return waits ? messages::canary_waits_longer(its, others, back.waiting_factor) : std::string{};
}

// -- What people do. --

std::string canary::problem_with(const tenon::change_canary &c) const {
  if (config.canary.empty()) return messages::no_canary(c.partition);
  const bool in_place = is_in_place();
  if (c.turn == canary_turn::back) return in_place ? std::string{} : messages::canary_is_back(sortings.of_canary.why);
  if (in_place) return messages::canary_is_in_place();
  bound_canary tried;
  return bind(config.canary.front(), tried);
}

void canary::obey(const tenon::change_canary &c) {
  if (config.canary.empty() || is_in_place() != (c.turn == canary_turn::back)) return;
  if (c.turn == canary_turn::back) return go_back(messages::canary_taken_back(c.text));
  bound_canary policy;
  if (bind(config.canary.front(), policy).empty()) begin(std::move(policy));
}

// -- Readers. --

std::optional<canary_snapshot> canary::standing() const {
  if (config.canary.empty()) return std::nullopt;
  const canary_config &c = config.canary.front();
  const canary_standing &now = sortings.of_canary;
  const auto side = [](const canary_tally::side &one) { return canary_side{0, one.placed, one.waited_ms}; };
  canary_snapshot out{std::string(entry_of(c.kind()).name()),
                      c.policy(),
                      c.queues,
                      c.share,
                      c.salt,
                      now.in_place,
                      now.why,
                      now.since_ms,
                      c.back,
                      tally_.faults,
                      side(tally_.its),
                      side(tally_.others)};
  for (const auto &[id, app] : of.active) {  // any order: a sum
    if (app->in_canary) {
      ++out.canary.applications;
    } else if (!is_on_neither_side(*app)) {
      ++out.others.applications;
    }
  }
  return out;
}

}  // namespace tenon::internal
