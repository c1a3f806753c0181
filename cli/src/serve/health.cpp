// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/health.hpp"

namespace tenon::cli {
namespace {

int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void say(std::string &to, const std::string &words) { to += (to.empty() ? "" : "; ") + words; }

health_check of_cycle(const heartbeat &heart) {
  const auto age = heart.age();
  if (age < slow_heart) return {"cycle", true, "the cycle thread runs"};
  return {"cycle", false, "the cycle thread has not answered for " + std::to_string(age.count()) + " ms"};
}

health_check of_transports(const service::scheduler &scheduler) {
  health_check out{"transports", true, ""};
  const auto all = scheduler.transports();
  for (const auto &one : all) {
    if (one.running) continue;
    out.healthy = false;
    say(out.words, one.name + " is stopped" + (one.words.empty() ? "" : ": " + one.words));
  }
  if (out.healthy) out.words = std::to_string(all.size()) + " running";
  return out;
}

health_check of_modules(service::scheduler &scheduler) {
  health_check out{"modules", true, ""};
  const auto all = scheduler.modules().counters();
  for (const auto &one : all) {
    if (one.faults == 0) continue;
    out.healthy = false;
    say(out.words, one.id + " had " + std::to_string(one.faults) + (one.faults == 1 ? " fault" : " faults"));
  }
  if (out.healthy) out.words = std::to_string(all.size()) + " loaded, no fault";
  return out;
}

health_check of_events(const events::event_hub *hub) {
  if (hub == nullptr) return {"events", true, "nothing is kept"};
  health_check out{"events", true, ""};
  for (const std::string &warning : hub->warnings()) {
    out.healthy = false;
    say(out.words, warning);
  }
  if (out.healthy) out.words = std::to_string(hub->counters().created) + " records";
  return out;
}

health_check of_recordings(const std::vector<const recording *> &all) {
  health_check out{"recordings", true, ""};
  for (const recording *one : all) {
    const auto failed = one->failure();
    if (!failed) continue;
    out.healthy = false;
    say(out.words, failed->where + ": " + failed->have);
  }
  if (out.healthy) out.words = all.empty() ? "nothing is recorded" : std::to_string(all.size()) + " written";
  return out;
}

}  // namespace

void heartbeat::ask() {
  if (beats_->heard_ms == 0) beats_->heard_ms = steady_ms();
  if (beats_->asked.exchange(true)) return;
  of_.post([beats = beats_](service::cycle_access &) {
    beats->heard_ms = steady_ms();
    beats->asked = false;
  });
}

std::chrono::milliseconds heartbeat::age() const {
  const int64_t heard = beats_->heard_ms;
  return std::chrono::milliseconds(heard == 0 ? 0 : steady_ms() - heard);
}

std::vector<health_check> examine(service::scheduler &scheduler, const heartbeat &heart,
                                  const std::vector<const recording *> &recordings) {
  return {of_cycle(heart), of_transports(scheduler), of_modules(scheduler), of_events(scheduler.events()),
          of_recordings(recordings)};
}

}  // namespace tenon::cli
