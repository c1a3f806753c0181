// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs come, are lost, come back and go, and are configured anew.
#include <algorithm>

#include "cycle_thread.hpp"
#include "tenon/abi/rm_answers.h"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::service {
namespace {

// A transport says lost and back at once to have answers told again, one stream after another: not for the log.
constexpr int64_t lost_for_the_log_ms = 100;

std::string label_of(const rm_session &one) {
  return "RM '" + one.who.rm + "' (session " + std::to_string(one.who.id) + ")";
}

}  // namespace

// Of no registration before, also where the scheduler was restarted: UUIDs of allocations go by it.
uint64_t cycle::fresh_epoch() {
  constexpr uint64_t a_millisecond = 1'000'000;
  last_epoch_ = std::max(last_epoch_ + 1, static_cast<uint64_t>(now_ms_) * a_millisecond);
  return last_epoch_;
}

registered cycle::enter(registration in) {
  const std::string rm = in.who.rm;
  const auto of_rm = [&](const auto &one) { return one->who.rm == rm; };
  const auto old = std::find_if(sessions_.begin(), sessions_.end(), of_rm);
  if (old == sessions_.end() && sessions_.size() >= shared_.limits.max_rms) {
    return {TENON_EXHAUSTED, 0,
            "want at most " + std::to_string(shared_.limits.max_rms) + " resource managers at once, have that many; " +
                "end one of them, or raise rm.max"};
  }
  const std::shared_ptr<rm_session> older = old == sessions_.end() ? nullptr : *old;
  identities::by_type made;
  if (auto why = identities_.prepare(*in.config.config, made)) return {TENON_INVALID_CONFIG, 0, why->text()};
  // What the kernel says while it cleans up is about the older session; its RM has forgotten all of it.
  if (older != nullptr) std::erase(sessions_, older);
  last_ = nullptr;
  in.who.epoch = fresh_epoch();
  const bool proposals = (in.who.wants & TENON_RM_WANTS_PROPOSALS) != 0;
  apply(register_rm{rm, in.who.version, in.who.policy_group, in.config.config.get(),
                    proposals ? shared_.limits.check_deadline_ms : 0, in.who.epoch});
  if (!outcome_.good) {
    if (older != nullptr) {
      sessions_.push_back(older);
      std::sort(sessions_.begin(), sessions_.end(), [](const auto &a, const auto &b) { return a->who.id < b->who.id; });
    }
    return {TENON_INVALID_CONFIG, 0, outcome_.message};
  }
  identities_.adopt(std::move(made));
  if (older != nullptr) {
    older->ended = true;
    older->state = rm_state::stopped;
    drop_requests(*older);
    shared_.sessions.remove(older->who.id);
    older->transport->tell_ended(older->who.id, TENON_RM_ENDED_REPLACED);
  }
  in.who.id = next_session_++;
  auto fresh = std::make_shared<rm_session>(std::move(in.who), in.transport, shared_.chunks);
  fresh->held = fresh->who.hold;
  fresh->in_force = std::make_shared<const group_config>(in.config);
  note_partitions(*fresh, *in.config.config);
  sessions_.push_back(fresh);
  const bool checks = (fresh->who.wants & TENON_RM_WANTS_CHECKS) != 0 && !checks_;
  const bool reservations = fresh->who.checks_reservations && !checks_reservations_;
  checks_ |= checks;
  checks_reservations_ |= reservations;
  if (checks || reservations) ask_rms();
  ++shared_.counters.registrations;
  shared_.sessions.add(fresh);
  shared_.note(label_of(*fresh) + " registered over " + fresh->transport->name() + ", policy group '" +
               fresh->who.policy_group + "'" + (fresh->who.own_config ? ", with a configuration of its own" : "") +
               (older != nullptr ? ", in place of session " + std::to_string(older->who.id) : "") +
               (fresh->held ? "; nothing is placed for it until its recovery is done" : ""));
  return {TENON_OK, fresh->who.id, {}};
}

void cycle::note_partitions(rm_session &one, const cluster_config &config) {
  forget_gone_partitions(one);  // one of the same name is another one
  for (const auto &known : one.partitions) known->is_left_out = true;
  for (const partition_config &partition : config.partitions) {
    const std::string full = full_partition_name(one.who.rm, partition.name);
    rm_partition *known = one.find_partition(full);
    if (known == nullptr) {
      known = one.partitions.emplace_back(std::make_unique<rm_partition>()).get();
      known->full_name = full;
      known->answers = &one.answer_queue_of(partition.name);
    }
    known->is_left_out = false;
    known->id = kernel_.find_partition(full);
    known->identities = identities_.of(partition.user_group_resolver);
    known->confirm_timeout_ms = partition.tuning.release_confirm_timeout_ms;
  }
}

// Of a partition that has drained and gone its answers alone stay, for their numbers go on.
void cycle::forget_gone_partitions(rm_session &one) const {
  std::erase_if(one.partitions, [&](const auto &partition) {
    return partition->is_left_out && !kernel_.state_of_partition(partition->id);
  });
}

void cycle::signal(rm_session &of, uint32_t signal) {
  if (of.ended) return;
  switch (signal) {
    case TENON_RM_LOST:
      if (!of.lost) of.lost_since_ms = now_ms_;
      of.lost = true;
      of.presence.go();
      pause(of);
      break;
    case TENON_RM_BACK:
      of.lost = false;
      of.each_answer_queue([](answer_queue &answers) { answers.rewind(); });
      of.presence.come();
      if (!of.over_hard) resume(of);
      of.transport->notify();
      break;
    default:
      if (!of.goodbye) of.goodbye_deadline_ms = add_saturating(now_ms_, shared_.limits.drain_ms);
      of.goodbye = true;  // after the requests that came before
  }
}

void cycle::tell_presence(rm_session &one) {
  if (one.lost == one.told_lost) return;
  if (one.lost && (one.goodbye || now_ms_ - one.lost_since_ms < lost_for_the_log_ms)) return;
  one.told_lost = one.lost;
  if (!one.lost) return shared_.note(label_of(one) + " is back");
  shared_.warn(label_of(one) + " is lost: nothing is placed for it, and after " +
               std::to_string(shared_.limits.pause_timeout_ms / 1000) + " s all it has is released");
}

void cycle::pause(rm_session &one) {
  if (one.state != rm_state::running) return;
  end_questions(one);
  apply(signal_rm{one.who.rm, rm_signal::lost});
  one.state = rm_state::paused;
}

void cycle::resume(rm_session &one) {
  if (one.state != rm_state::paused) return;
  apply(signal_rm{one.who.rm, rm_signal::back});
  one.state = rm_state::running;
}

void cycle::look_for_unconfirmed(rm_session &one) {
  for (const auto &partition : one.partitions) {
    rm_partition &where = *partition;
    where.to_confirm.take_late(
        now_ms_ - where.confirm_timeout_ms, [&](const std::string &application, const std::string &key) {
          shared_.note_event({"tenon",
                              "release not confirmed",
                              application + "/" + key,
                              "RM '" + one.who.rm + "' has not confirmed for " +
                                  std::to_string(where.confirm_timeout_ms / 1000) + " s that allocation " + key +
                                  " of application " + application + " has ended: its place stays taken until it does",
                              where.full_name,
                              application,
                              {},
                              {}});
        });
  }
}

// Limits and deadlines of one RM.
void cycle::look_after(const std::shared_ptr<rm_session> &self) {
  rm_session &one = *self;
  forget_gone_partitions(one);
  look_for_unconfirmed(one);
  if (one.goodbye) {
    const bool applied = one.waiting_requests == 0;
    const bool out = !one.presence.is_here() || !one.has_undelivered() || now_ms_ >= one.goodbye_deadline_ms;
    if (!applied || !out) return;
    if (one.state == rm_state::paused) resume(one);
    return end(self, TENON_RM_ENDED_SHUTDOWN, rm_signal::shutdown);
  }
  const uint64_t waiting = one.waiting_answers(), taken = one.taken_answers();
  if (one.waited == 0 || one.taken != taken) one.unread_since_ms = now_ms_;
  one.waited = waiting;
  one.taken = taken;
  // Back where it was lets it go on: half of the limit, so that it does not flutter.
  one.throttled = waiting > (one.throttled ? shared_.limits.outbox_high / 2 : shared_.limits.outbox_high);
  if (one.state == rm_state::running && waiting > shared_.limits.outbox_hard) {
    one.over_hard = true;
    shared_.warn(label_of(one) + " does not take its answers, " + std::to_string(waiting) +
                 " wait: nothing is placed for it");
    pause(one);
  } else if (one.over_hard && !one.throttled) {
    one.over_hard = false;
    if (!one.lost) resume(one);
  }
  if (one.state != rm_state::paused) return;
  const int64_t unread_ms = now_ms_ - one.unread_since_ms;
  if (waiting > shared_.limits.pause_queue && unread_ms >= shared_.limits.unread_timeout_ms)
    return end(self, TENON_RM_ENDED_OVERFLOW, rm_signal::timeout);
  const int64_t paused_ms = one.lost ? now_ms_ - one.lost_since_ms : unread_ms;
  if (paused_ms >= shared_.limits.pause_timeout_ms) end(self, TENON_RM_ENDED_TIMEOUT, rm_signal::timeout);
}

void cycle::end(const std::shared_ptr<rm_session> &one, uint32_t why, rm_signal signal) {
  const std::string released = "; all that it had is released";
  if (why == TENON_RM_ENDED_SHUTDOWN) {
    shared_.note(label_of(*one) + " said goodbye" + released);
  } else {
    shared_.warn(label_of(*one) + (why == TENON_RM_ENDED_TIMEOUT ? " stayed away too long" : " left too many answers") +
                 released);
  }
  apply(signal_rm{one->who.rm, signal});
  one->state = rm_state::stopped;
  one->ended = true;
  one->transport->tell_ended(one->who.id, why);
  drop_requests(*one);
  std::erase(sessions_, one);
  last_ = nullptr;
  shared_.sessions.remove(one->who.id);
}

void cycle::drop_requests(rm_session &one) {
  one.take(one.open);
  for (auto &request_batch : one.open) {
    shared_.counters.dropped_requests += request_batch->requests.size() - request_batch->next;
    shared_.request_batches.give(std::move(request_batch));
  }
  one.open.clear();
  one.waiting_requests = one.waiting_bytes = 0;
}

void cycle::end_all() {
  while (!sessions_.empty()) {
    const auto one = sessions_.back();
    one->ended = true;
    drop_requests(*one);
    sessions_.pop_back();
    shared_.sessions.remove(one->who.id);
    one->transport->tell_ended(one->who.id, TENON_RM_ENDED_STOPPING);
  }
  last_ = nullptr;
  identities_.close();
}

// Why the RM cannot take a configuration, if it cannot. Nothing is changed; `made` is what the configuration needs.
std::optional<refusal> cycle::problem_with(const rm_session &one, const group_config &config,
                                           identities::by_type &made) const {
  if (auto why = leaves_nothing(one, config)) return why;
  if (auto why = identities_.prepare(*config.config, made)) return why;
  const std::string problem = kernel_.problem_with(tenon::configure{one.who.rm, config.config.get()});
  if (problem.empty()) return std::nullopt;
  return refusal{"policy group '" + one.who.policy_group + "', RM '" + one.who.rm + "'",
                 "a configuration that the RM can take", problem, "nothing was changed; correct it and send it again"};
}

std::optional<refusal> cycle::put_in_force(rm_session &one, const std::shared_ptr<const group_config> &config) {
  apply(tenon::configure{one.who.rm, config->config.get()});
  if (!outcome_.good)
    return refusal{"RM '" + one.who.rm + "'", "a configuration that it can take", outcome_.message, ""};
  note_partitions(one, *config->config);
  one.in_force = config;
  return std::nullopt;
}

// Its partitions would drain, and with them what runs: nobody says that by leaving everything out.
std::optional<refusal> cycle::leaves_nothing(const rm_session &one, const group_config &config) {
  if (!config.config->partitions.empty() || one.in_force->config->partitions.empty()) return std::nullopt;
  std::string names;
  for (const partition_config &partition : one.in_force->config->partitions)
    names += (names.empty() ? "" : ", ") + partition.name;
  return refusal{config.file, "at least one entry of 'partitions' for RM '" + one.who.rm + "'",
                 "none, so that all it has would drain: " + names,
                 "nothing was changed; keep a partition, or let the RM end"};
}

// Whether all partitions that it names are there.
bool cycle::is_as_configured(const rm_session &one) const {
  const auto &partitions = one.in_force->config->partitions;
  return std::all_of(partitions.begin(), partitions.end(), [&](const partition_config &p) {
    return kernel_.find_partition(full_partition_name(one.who.rm, p.name)) != partition_id::none;
  });
}

// What a reload puts in force for an RM: its group's text, unless it has one of its own.
std::shared_ptr<const group_config> cycle::wanted_of(const rm_session &one,
                                                     const std::map<std::string, group_config> &groups,
                                                     const std::set<std::string> &dropped) {
  const bool keeps_own = one.who.own_config || (one.in_force->is_of_one_rm() && !dropped.contains(one.who.rm));
  if (keeps_own) return one.in_force;
  const auto group = groups.find(one.who.policy_group);
  return group == groups.end() ? nullptr : std::make_shared<const group_config>(group->second);
}

// All RMs are looked at before any of them is changed.
std::optional<refusal> cycle::reload(const std::map<std::string, group_config> &groups,
                                     const std::set<std::string> &dropped, bool only_tried) {
  std::vector<std::pair<rm_session *, std::shared_ptr<const group_config>>> changed, same;
  identities::by_type made;
  for (const auto &one : sessions_) {
    const auto wanted = wanted_of(*one, groups, dropped);
    if (wanted == nullptr) continue;
    if (*wanted->config == *one->in_force->config && is_as_configured(*one)) {
      same.emplace_back(one.get(), wanted);
      continue;
    }
    if (auto why = problem_with(*one, *wanted, made)) return why;
    changed.emplace_back(one.get(), wanted);
  }
  if (only_tried) return std::nullopt;
  identities_.adopt(std::move(made));
  for (const auto &[one, wanted] : changed)
    if (auto why = put_in_force(*one, wanted)) return why;
  for (const auto &[one, by_another_hand] : same) one->in_force = by_another_hand;
  return std::nullopt;
}

std::optional<refusal> cycle::configure(rm_session &one, const group_config &config, bool only_tried) {
  identities::by_type made;
  if (auto why = problem_with(one, config, made); why || only_tried) return why;
  identities_.adopt(std::move(made));
  return put_in_force(one, std::make_shared<const group_config>(config));
}

std::optional<refusal> cycle::configure(std::string_view rm, const group_config &config, bool only_tried) {
  rm_session *one = find(rm);
  if (one == nullptr) return refusal{"", "a registered resource manager", "no RM '" + std::string(rm) + "'", ""};
  return configure(*one, config, only_tried);
}

bool cycle::recovery_done(std::string_view rm) {
  rm_session *one = find(rm);
  if (one != nullptr) one->held = false;
  return one != nullptr;
}

void cycle::tell(std::string_view rm, const tenon_rm_event &event) {
  rm_session *to = find(rm);
  if (to == nullptr || (to->who.wants & TENON_RM_WANTS_EVENTS) == 0 || to->throttled) return;
  answer_event(*to, event);
  ++shared_.counters.answers;
}

}  // namespace tenon::service
