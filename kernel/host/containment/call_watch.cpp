// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "containment/call_watch.hpp"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace tenon::host {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds tick{100};
// Beyond it a call is said to be long. Nobody waits for a thread that is not the cycle's, and slots of such threads
// may ask a disk or another machine.
constexpr milliseconds long_on_cycle{500}, long_elsewhere{10'000};

milliseconds limit_of(thread_role role) { return role == thread_role::cycle ? long_on_cycle : long_elsewhere; }

bool may_end_the_process(const call_subject &of) { return !of.own && !of.isolated; }

long_call described(const call_place::seen_call &seen, milliseconds lasts) {
  const call_subject &of = *seen.subject;
  return {of.module, of.version, of.digest,  of.key,      of.interface, of.name,
          seen.slot, seen.role,  seen.items, seen.thread, lasts};
}

}  // namespace

std::string long_call::place() const {
  std::string out = module + " " + version + ": ";
  if (!interface.empty()) out += interface + " '" + name + "': ";
  out += slot;
  return items > 1 ? out + ", of " + std::to_string(items) + " items" : out;
}

std::string long_call::text() const {
  return place() + (items > 1 ? "," : "") + " has not returned for " + std::to_string(lasts.count()) + " ms";
}

call_watch::call_watch(uint64_t host, std::shared_ptr<spdlog::logger> log, const call_limits &limits,
                       handler beyond_limit)
    : host_(host), log_(std::move(log)), beyond_limit_(std::move(beyond_limit)), limits_(limits), thread_([this] {
        run();
      }) {}

call_watch::~call_watch() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::vector<long_call> call_watch::long_calls() const {
  const std::scoped_lock lock(mutex_);
  return long_calls_;
}

void call_watch::limit(const call_limits &limits) {
  const std::scoped_lock lock(mutex_);
  limits_ = limits;
  limited_for_ = milliseconds(0);
}

void call_watch::run() {
  pthread_setname_np(pthread_self(), "tenon-watch");
  auto last = clock::now();
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, tick, [this] { return ends_; })) return;
    }
    const auto now = clock::now();
    // A process that was stopped, or a machine that slept, did not wait for a module meanwhile.
    look(std::min(std::chrono::duration_cast<milliseconds>(now - last), 2 * tick));
    last = now;
  }
}

void call_watch::look(milliseconds since_last) {
  std::vector<long_call> found;
  std::vector<long_call> beyond;
  bool held_up = false;
  const auto [limits, limited_for] = [&] {
    const std::scoped_lock lock(mutex_);
    return std::pair(limits_, limited_for_ += since_last);
  }();
  for (const call_place *place : call_place::all()) {
    followed &one = followed_[place];
    const auto seen = place->look();
    if (!seen || seen->subject->host != host_) {
      if (!seen) continue;  // or it is just changing: the next look knows by its number
      one = {};
      continue;
    }
    if (seen->number != one.number) {
      one = {seen->number};
      continue;
    }
    one.lasts += since_last;
    const milliseconds limit = seen->role == thread_role::cycle ? limits.cycle : limits.elsewhere;
    if (limit.count() != 0 && (limits.of_all ? limited_for : one.lasts) >= limit &&
        (limits.of_all || may_end_the_process(*seen->subject)) && !std::exchange(one.ended, true))
      beyond.push_back(described(*seen, one.lasts));
    if (one.lasts < limit_of(seen->role)) continue;
    found.push_back(described(*seen, one.lasts));
    held_up |= seen->role == thread_role::cycle;
    tell(found.back(), one);
  }
  cycle_is_held_up_ = held_up;
  {
    const std::scoped_lock lock(mutex_);
    long_calls_ = std::move(found);
  }
  if (!beyond_limit_) return;
  for (const long_call &one : beyond) beyond_limit_(one);
}

void call_watch::tell(const long_call &what, followed &of) {
  if (std::exchange(of.told, true)) return;
  log_->error("{}, on a thread with role {}{}", what.text(), role_name(what.role),
              what.role == thread_role::cycle ? ": nothing is scheduled until it does" : "");
}

}  // namespace tenon::host
