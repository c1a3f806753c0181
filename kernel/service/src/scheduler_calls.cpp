// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What transports call: registrations, requests, signals, acknowledgements.
#include <algorithm>
#include <charconv>
#include <chrono>

#include "scheduler_impl.hpp"
#include "tenon/abi/rm_requests.h"
#include "tenon/config/problems.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/names.hpp"
#include "tenon/text/letters.hpp"
#include "translate.hpp"

namespace tenon::service {
namespace {

std::map<std::string, std::string> copied(const tenon_rm_pairs &from) {
  std::map<std::string, std::string> out;
  for (uint64_t i = 0; i < from.count; ++i)
    out.emplace(std::string(view_of(from.names[i])), std::string(view_of(from.values[i])));
  return out;
}

// What is wrong with what an RM says of itself, if anything.
std::optional<refusal> registration_problem(const tenon_rm_registration *in, const host::running_limits &limits) {
  if (in == nullptr || in->type != TENON_RM_REGISTRATION || in->size < sizeof *in)
    return refusal{"registration", "one of this version of the interface", "another message, or none",
                   "set its type and size as the header says"};
  const std::string_view rm = view_of(in->rm);
  const auto too_long = [](const char *where, uint64_t most, uint64_t has, const char *fix) {
    return refusal{where, "at most " + std::to_string(most) + " bytes", std::to_string(has) + " bytes", fix};
  };
  if (rm.size() > limits.max_name)
    return too_long("rmID", limits.max_name, rm.size(), "register with a shorter name, or raise requests.max_name");
  if (std::any_of(rm.begin(), rm.end(), is_control))
    return refusal{"rmID", "a name without control characters", "one with them", "register with another name"};
  if (in->config.length > limits.max_config)
    return too_long("config", limits.max_config, in->config.length,
                    "send a shorter queues.yaml, or have the daemon read one as a file of a policy group");
  constexpr uint64_t most_pairs = 4'096;
  for (const tenon_rm_pairs *pairs : {&in->build_info, &in->extra_config})
    if (pairs->count > most_pairs || (pairs->count != 0 && (pairs->names == nullptr || pairs->values == nullptr)))
      return refusal{"buildInfo, extraConfig", "at most " + std::to_string(most_pairs) + " pairs of names and values",
                     std::to_string(pairs->count) + ", or no texts", "send fewer"};
  return std::nullopt;
}

// What an RM may want to hear that its transport does not say for it, by keys of extraConfig.
constexpr std::pair<const char *, uint32_t> wanted_by_keys[] = {
    {"reports.states", TENON_RM_WANTS_SCHEDULING_STATES},
    {"reports.assumptions", TENON_RM_WANTS_ASSUMPTIONS},
    {"reports.events", TENON_RM_WANTS_EVENTS},
};

std::optional<uint32_t> window_of(std::string_view text) {
  uint32_t out = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool whole = failed == std::errc() && end == text.data() + text.size() && out != 0;
  return whole ? std::optional(out) : std::nullopt;
}

}  // namespace

result<group_config> scheduler::impl::configuration_of(std::string_view rm, const tenon_rm_registration &from) const {
  if (from.config.length == 0) {
    const auto sent = shared.of_rms();
    const auto mine = sent.find(std::string(rm));
    auto group = shared.group(view_of(from.policy_group));
    const std::string_view name = from.policy_group.length == 0 ? "default" : view_of(from.policy_group);
    return group && mine != sent.end() && mine->second.policy_group == name ? mine->second : group;
  }
  return shared.read(view_of(from.config), "the configuration of RM '" + std::string(rm) + "'");
}

// Of clients that try again and again the log has a line a second, with the last one's reason.
tenon_status scheduler::impl::refuse_registration(const std::string &rm, tenon_status status, const std::string &why,
                                                  tenon_rm_enter_out &out) {
  ++shared.counters.refused_registrations;
  say(out.error, why);
  const std::lock_guard lock(refusing_);
  ++untold_refusals_;
  const auto now = std::chrono::steady_clock::now();
  if (last_told_refusal_ && now - *last_told_refusal_ < std::chrono::seconds(1)) return status;
  shared.warn("the registration of RM " + config::in_quotes(rm) + " is refused: " + why +
              (untold_refusals_ == 1 ? "" : " (and " + std::to_string(untold_refusals_ - 1) + " others before it)"));
  last_told_refusal_ = now;
  untold_refusals_ = 0;
  return status;
}

tenon_status scheduler::impl::enter(const tenon_rm_enter_in &in, tenon_rm_enter_out &out) {
  if (shared.closing || !started_) {
    say(out.error, "the scheduler stops, or is not ready");
    return TENON_RETRY;
  }
  if (host::current_role() == host::thread_role::cycle) {
    say(out.error, "an RM cannot register inside of a step");
    return TENON_RETRY;
  }
  if (in.transport == 0 || in.transport > runners.size()) {
    say(out.error, "want the transport's number, as start gave it");
    return TENON_UNSUPPORTED;
  }
  if (const auto problem = registration_problem(in.registration, shared.limits)) {
    const std::string_view rm = in.registration == nullptr ? std::string_view() : view_of(in.registration->rm);
    return refuse_registration(std::string(rm.substr(0, shared.limits.max_name)), TENON_INVALID_CONFIG, problem->text(),
                               out);
  }
  const tenon_rm_registration &from = *in.registration;
  registration what;
  what.who.rm = view_of(from.rm);
  what.transport = runners[in.transport - 1].get();
  auto config = configuration_of(what.who.rm, from);
  if (!config) return refuse_registration(what.who.rm, TENON_INVALID_CONFIG, config.why().text(), out);
  what.config = std::move(*config);
  what.who.version = view_of(from.version);
  what.who.policy_group =
      from.policy_group.length == 0 ? std::string("default") : std::string(view_of(from.policy_group));
  what.who.build_info = copied(from.build_info);
  what.who.own_config = from.config.length != 0;
  what.who.wants = TENON_COVERS(&in, tenon_rm_enter_in, wants) ? in.wants : 0;
  const auto extra = copied(from.extra_config);
  const auto is_true = [&](const char *key) {
    const auto found = extra.find(key);
    return found != extra.end() && lower_case(found->second) == "true";
  };
  what.who.hold = is_true("recovery.hold");
  for (const auto &[key, wants] : wanted_by_keys)
    if (is_true(key)) what.who.wants |= wants;
  what.who.checks_reservations = (what.who.wants & TENON_RM_WANTS_PROPOSALS) != 0 && is_true("checks.reservations");
  what.who.check_window = shared.limits.check_window;
  if (const auto window = extra.find("checks.window"); window != extra.end()) {
    const auto own = window_of(window->second);
    if (!own)
      return refuse_registration(
          what.who.rm, TENON_INVALID_CONFIG,
          "extraConfig checks.window: want a whole number from 1 on, have another text; leave it out for " +
              std::to_string(shared.limits.check_window),
          out);
    what.who.check_window = std::min(*own, shared.limits.check_window);
  }
  if ((what.who.wants & TENON_RM_WANTS_EVENTS) != 0) send_events();
  registered outcome;
  const std::string rm = what.who.rm;
  const bool own_config = what.who.own_config;
  const bool ran = call([&](cycle &on) { outcome = on.enter(std::move(what)); });
  if (!ran) {
    say(out.error, "the scheduler stops");
    return TENON_RETRY;
  }
  if (outcome.status != TENON_OK) return refuse_registration(rm, outcome.status, outcome.message, out);
  if (own_config) forget_sent_for(rm);
  say(out.error, outcome.message);
  out.session = outcome.session;
  return outcome.status;
}

tenon_status scheduler::impl::submit(const tenon_rm_submit_in &in, tenon_rm_submit_out &out) {
  out.accepted = 0;
  const auto session = shared.sessions.find(in.session);
  if (session == nullptr || session->ended || session->goodbye_said) return TENON_DECLINED;
  const auto later = [&](std::string_view message) {
    ++session->retries;
    ++shared.counters.retries;
    say(out.error, message);
    return TENON_RETRY;
  };
  if (shared.closing) return later("the scheduler stops");
  if (session->throttled) return later("too many answers wait for the resource manager");
  if (in.message_count == 0) return TENON_OK;
  if (in.messages == nullptr) {
    say(out.error, "want messages, have a count alone");
    return TENON_INVALID_CONFIG;
  }
  const uint64_t waiting = session->waiting_requests, waiting_bytes = session->waiting_bytes;
  if (waiting >= shared.limits.mailbox_requests || waiting_bytes >= shared.limits.mailbox_bytes)
    return later("too many requests of the resource manager wait");

  auto batch = shared.request_batches.take();
  translator translate(*batch, session->who.rm, shared.limits, read_configuration_);
  std::optional<std::string> problem;
  bool full = false;
  uint64_t taken = 0;
  for (; taken < in.message_count; ++taken) {
    full = waiting + batch->requests.size() >= shared.limits.mailbox_requests ||
           waiting_bytes + batch->bytes >= shared.limits.mailbox_bytes;
    if (full) break;
    problem = translate.add(in.messages[taken]);
    if (problem) break;
  }
  out.accepted = taken;
  shared.counters.requests += taken;
  if (batch->requests.empty()) {
    shared.request_batches.give(std::move(batch));
  } else {
    session->put(batch);
    wake();
  }
  if (problem) {
    ++shared.counters.refused_requests;
    say(out.error, "message " + std::to_string(taken) + ": " + *problem);
    return TENON_INVALID_CONFIG;
  }
  return full ? later("too many requests of the resource manager wait") : TENON_OK;
}

tenon_status scheduler::impl::signal(const tenon_rm_signal_in &in) {
  if (in.signal < TENON_RM_LOST || in.signal > TENON_RM_SHUTDOWN) return TENON_UNSUPPORTED;
  const auto session = shared.sessions.find(in.session);
  if (session == nullptr || session->ended) return TENON_DECLINED;
  if (in.signal == TENON_RM_LOST) session->presence.go();
  if (in.signal == TENON_RM_SHUTDOWN) session->goodbye_said = true;
  post([session, what = in.signal](cycle &on) { on.signal(*session, what); });
  return TENON_OK;
}

tenon_status scheduler::impl::acknowledge(const tenon_rm_acknowledge_in &in) {
  const auto session = shared.sessions.find(in.session);
  if (session == nullptr) return TENON_DECLINED;
  if (answer_queue *answers = session->find_answer_queue(view_of(in.partition)); answers != nullptr)
    answers->acknowledge(in.number);
  if (session->throttled && session->waiting_answers() <= shared.limits.outbox_high / 2) {
    session->throttled = false;
    wake();
  }
  return TENON_OK;
}

tenon_status scheduler::impl::sent(const tenon_rm_acknowledge_in &in) {
  const auto session = shared.sessions.find(in.session);
  if (session == nullptr) return TENON_DECLINED;
  answer_queue *answers = session->find_answer_queue(view_of(in.partition));
  if (answers != nullptr && answers->note_sent(in.number)) wake();
  return TENON_OK;
}

}  // namespace tenon::service
