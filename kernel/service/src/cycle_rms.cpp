// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs come, are lost, come back and go, and are configured anew.
#include <algorithm>

#include "cycle.hpp"
#include "tenon/abi/rm_answers.h"
#include "tenon/kernel/resources.hpp"

namespace tenon::service {

registered cycle::enter(registration in) {
  const std::string rm = in.who.rm;
  const auto of_rm = [&](const auto &one) { return one->who.rm == rm; };
  const auto old = std::find_if(sessions_.begin(), sessions_.end(), of_rm);
  if (old == sessions_.end() && sessions_.size() >= shared_.limits.max_rms) {
    ++shared_.counters.refused_registrations;
    return {TENON_EXHAUSTED, 0,
            "want at most " + std::to_string(shared_.limits.max_rms) + " resource managers at once, have that many; " +
                "end one of them, or raise rm.max"};
  }
  const std::shared_ptr<rm_session> older = old == sessions_.end() ? nullptr : *old;
  if (auto why = identities_.use(rm, *in.config.config)) {
    ++shared_.counters.refused_registrations;
    return {TENON_INVALID_CONFIG, 0, why->text()};
  }
  // What the kernel says while it cleans up is about the older session; its RM has forgotten all of it.
  if (older != nullptr) std::erase(sessions_, older);
  last_ = nullptr;
  const bool proposals = (in.who.wants & TENON_RM_WANTS_PROPOSALS) != 0;
  apply(register_rm{rm, in.who.version, in.who.policy_group, in.config.config.get(),
                    proposals ? shared_.limits.check_deadline_ms : 0});
  if (!outcome_.good) {
    if (older != nullptr) {
      sessions_.push_back(older);
      std::sort(sessions_.begin(), sessions_.end(), [](const auto &a, const auto &b) { return a->who.id < b->who.id; });
    }
    ++shared_.counters.refused_registrations;
    return {TENON_INVALID_CONFIG, 0, outcome_.words};
  }
  if (older != nullptr) {
    older->ended = true;
    older->state = rm_state::stopped;
    drop_requests(*older);
    shared_.sessions.remove(older->who.id);
    older->transport->tell_ended(older->who.id, TENON_RM_ENDED_REPLACED);
  }
  in.who.id = next_session_++;
  auto fresh = std::make_shared<rm_session>(std::move(in.who), in.transport, shared_.chunks);
  fresh->held = in.held;
  fresh->config = in.config.config;
  fresh->config_text = in.config.text;
  note_partitions(*fresh, *in.config.config);
  sessions_.push_back(fresh);
  if ((fresh->who.wants & TENON_RM_WANTS_CHECKS) != 0 && !checks_) {
    checks_ = true;
    kernel_.set_rm_check([this](auto partition, auto application, auto key, auto node, bool allocate) {
      return check(partition, application, key, node, allocate);
    });
  }
  ++shared_.counters.registrations;
  shared_.sessions.add(fresh);
  return {TENON_OK, fresh->who.id, {}};
}

void cycle::note_partitions(rm_session &one, const cluster_config &config) {
  for (const partition_config &partition : config.partitions) {
    const std::string full = "[" + one.who.rm + "]" + partition.name;
    if (one.find_partition(full) != nullptr) continue;
    auto fresh = std::make_unique<rm_partition>();
    fresh->full_name = full;
    fresh->answers = &one.lane_of(partition.name);
    one.partitions.push_back(std::move(fresh));
  }
}

void cycle::signal(rm_session &of, uint32_t signal) {
  if (of.ended) return;
  switch (signal) {
    case TENON_RM_LOST:
      of.lost = true;
      of.presence.go();
      pause(of);
      break;
    case TENON_RM_BACK:
      of.lost = false;
      of.each_lane([](lane &answers) { answers.rewind(); });
      of.presence.come();
      if (!of.over_hard) resume(of);
      of.transport->notify();
      break;
    default:
      if (!of.goodbye) of.goodbye_deadline_ms = add_saturating(now_ms_, shared_.limits.drain_ms);
      of.goodbye = true;  // after the requests that came before
  }
}

void cycle::pause(rm_session &one) {
  if (one.state != rm_state::running) return;
  apply(signal_rm{one.who.rm, rm_signal::lost});
  one.state = rm_state::paused;
  one.pause_deadline_ms = add_saturating(now_ms_, shared_.limits.pause_timeout_ms);
}

void cycle::resume(rm_session &one) {
  if (one.state != rm_state::paused) return;
  apply(signal_rm{one.who.rm, rm_signal::back});
  one.state = rm_state::running;
}

// Limits and deadlines of one RM.
void cycle::look_after(const std::shared_ptr<rm_session> &self) {
  rm_session &one = *self;
  if (one.goodbye) {
    const bool applied = one.waiting_requests == 0;
    const bool out = !one.presence.is_here() || !one.has_undelivered() || now_ms_ >= one.goodbye_deadline_ms;
    if (!applied || !out) return;
    if (one.state == rm_state::paused) resume(one);
    return end(self, TENON_RM_ENDED_SHUTDOWN, rm_signal::shutdown);
  }
  const uint64_t waiting = one.waiting_answers();
  // Back where it was lets it go on: half of the limit, so that it does not flutter.
  one.throttled = waiting > (one.throttled ? shared_.limits.outbox_high / 2 : shared_.limits.outbox_high);
  if (one.state == rm_state::running && waiting > shared_.limits.outbox_hard) {
    one.over_hard = true;
    pause(one);
  } else if (one.over_hard && !one.throttled) {
    one.over_hard = false;
    if (!one.lost) resume(one);
  }
  if (one.state != rm_state::paused) return;
  if (waiting > shared_.limits.pause_queue) return end(self, TENON_RM_ENDED_OVERFLOW, rm_signal::timeout);
  if (now_ms_ >= one.pause_deadline_ms) end(self, TENON_RM_ENDED_TIMEOUT, rm_signal::timeout);
}

void cycle::end(const std::shared_ptr<rm_session> &one, uint32_t why, rm_signal signal) {
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
  for (auto &parcel : one.open) {
    shared_.counters.dropped_requests += parcel->requests.size() - parcel->next;
    shared_.parcels.give(std::move(parcel));
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

cycle::outcome cycle::configure_rm(rm_session &one, const group_config &config) {
  if (auto why = identities_.use(one.who.rm, *config.config)) return {false, why->text()};
  apply(tenon::configure{one.who.rm, config.config.get()});
  outcome out = outcome_;
  if (!out.good) {
    static_cast<void>(identities_.use(one.who.rm, *one.config));
    return out;
  }
  note_partitions(one, *config.config);
  one.config = config.config;
  one.config_text = config.text;
  return out;
}

// Its partitions would drain, and with them what runs: nobody says that by leaving everything out.
std::optional<refusal> cycle::leaves_nothing(const rm_session &one, const group_config &config) {
  if (!config.config->partitions.empty() || one.config->partitions.empty()) return std::nullopt;
  std::string names;
  for (const partition_config &partition : one.config->partitions)
    names += (names.empty() ? "" : ", ") + partition.name;
  return refusal{config.file, "at least one entry of 'partitions' for RM '" + one.who.rm + "'",
                 "none, so that all it has would drain: " + names,
                 "nothing was changed; keep a partition, or let the RM end"};
}

std::optional<refusal> cycle::reload(const std::map<std::string, group_config> &groups) {
  struct change {
    rm_session *of;
    group_config before;
  };
  std::vector<change> done;
  for (const auto &one : sessions_) {
    if (one->who.own_config) continue;
    const auto group = groups.find(one->who.policy_group);
    if (group == groups.end() || *group->second.config == *one->config) continue;
    auto why = leaves_nothing(*one, group->second);
    if (!why) {
      done.push_back({one.get(), {one->config_text, one->config, {}, {}}});
      const outcome out = configure_rm(*one, group->second);
      if (out.good) continue;
      done.pop_back();
      why = refusal{"policy group '" + group->first + "', RM '" + one->who.rm + "'",
                    "a configuration that all RMs can take", out.words,
                    "nothing was changed; correct it and reload again"};
    }
    for (auto undo = done.rbegin(); undo != done.rend(); ++undo) configure_rm(*undo->of, undo->before);
    return why;
  }
  return std::nullopt;
}

std::optional<refusal> cycle::configure(std::string_view rm, std::string_view queues_yaml) {
  rm_session *one = find(rm);
  if (one == nullptr) return refusal{"", "a registered resource manager", "no RM '" + std::string(rm) + "'", ""};
  const auto config = shared_.read(queues_yaml, "the configuration of " + one->who.rm);
  if (!config) return config.why();
  if (!config->has_content)
    return refusal{config->file, "queues", "a text without content", "nothing was changed; send the whole text"};
  if (auto why = leaves_nothing(*one, *config)) return why;
  const outcome out = configure_rm(*one, *config);
  if (out.good) {
    shared_.warn_of(*config);
    return std::nullopt;
  }
  return refusal{"RM '" + one->who.rm + "'", "a configuration that it can take", out.words, "nothing was changed"};
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
