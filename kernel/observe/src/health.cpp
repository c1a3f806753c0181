// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/observe/health.hpp"

#include <pthread.h>

#include <algorithm>

#include "health_sums.hpp"
#include "snapshot_keeper.hpp"
#include "tenon/abi/host_read.h"
#include "tenon/observe/services.hpp"

namespace tenon::observe {
namespace {

using std::chrono::milliseconds;
using state = health_check::state;

constexpr std::chrono::seconds sums_every{30};  // as the field's
constexpr std::chrono::seconds sums_within{2};  // for a snapshot; a scheduler that stops waits for it
constexpr milliseconds manual_beat{500};
constexpr uint32_t sums_want =
    TENON_READ_NODES | TENON_READ_APPLICATIONS | TENON_READ_ALLOCATIONS | services::read_contents;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void append(std::string &list, std::string_view separator, const std::string &one) {
  list += (list.empty() ? std::string_view{} : separator);
  list += one;
}

// What holds the cycle thread up, and what other threads wait for.
struct waits {
  std::string of_cycle, of_others;
};

waits waits_for(const std::vector<host::long_call> &calls) {
  waits out;
  for (const host::long_call &one : calls)
    append(one.role == host::thread_role::cycle ? out.of_cycle : out.of_others, "; ", one.text());
  return out;
}

std::string standing(const rm_standing &rm) {
  if (!rm.connected) return rm.id + " is away";
  if (rm.throttled) return rm.id + " does not take its answers";
  if (rm.held) return rm.id + ": its recovery is not done";
  if (!rm.beyond.empty()) return rm.id + " keeps as much as it may, " + rm.beyond + ": more is refused";
  return {};
}

}  // namespace

std::string_view name(health_check::state is) {
  switch (is) {
    case state::well:
      return "healthy";
    case state::warns:
      return "warning";
    case state::fails:
      return "unhealthy";
  }
  return "";
}

struct health_checks::beats {
  std::atomic<int64_t> asked_ns{0};  // 0: there is no question that waits for its answer
  std::mutex mutex;                  // of what follows
  std::vector<rm_standing> rms;
};

health_checks::health_checks(kernel_access &to, host::module_host &modules, snapshot_keeper &keeper,
                             std::chrono::milliseconds memory)
    : access_(to),
      modules_(modules),
      keeper_(keeper),
      memory_(memory),
      beats_(std::make_shared<beats>()),
      sums_(look_at_sums_of({})) {}

health_checks::~health_checks() { close(); }

void health_checks::add(std::function<std::vector<health_check>()> more) { more_.push_back(std::move(more)); }

void health_checks::node_refused() { refused_node_ns_ = now_ns(); }

bool health_checks::is_recent(int64_t at_ns) const { return at_ns != 0 && now_ns() - at_ns < memory_.count(); }

void health_checks::beat() {
  // A manual one has no thread of its own: whoever asks would wait for the step that is being made.
  if (!access_.is_manual()) ask_for_beat();
}

void health_checks::ask_for_beat() {
  int64_t none = 0;
  if (!beats_->asked_ns.compare_exchange_strong(none, now_ns())) return;
  access_.ask_for_rms([to = beats_](std::vector<rm_standing> rms) {
    {
      const std::lock_guard lock(to->mutex);
      to->rms = std::move(rms);
    }
    to->asked_ns = 0;
  });
}

milliseconds health_checks::silence() const {
  const int64_t asked = beats_->asked_ns;
  if (asked == 0 || access_.is_manual()) return milliseconds(0);
  return std::chrono::duration_cast<milliseconds>(std::chrono::nanoseconds(now_ns() - asked));
}

health_report health_checks::look() {
  beat();
  health_report out;
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
    if (!thread_.joinable() && !closed_) thread_ = std::thread([this] { look_at_sums_now_and_then(); });
  }
  wake_.notify_all();
  std::string faulty, held, away, silent;
  for (const host::module_counters &m : modules_.counters()) {
    if (!m.quarantine.empty()) append(held, "; ", m.id + " " + m.quarantine);
    if (is_recent(m.last_fault_ns)) append(faulty, ", ", m.id + " (" + std::to_string(m.faults) + " so far)");
  }
  {
    const std::lock_guard lock(beats_->mutex);
    for (const rm_standing &rm : beats_->rms) {
      if (const std::string words = standing(rm); !words.empty()) append(away, ", ", words);
    }
  }
  const waits in_modules = waits_for(modules_.long_calls());
  if (const milliseconds waited = silence(); waited >= slow)
    silent = "the cycle thread has not answered for " + std::to_string(waited.count()) + " ms";
  if (!in_modules.of_cycle.empty()) append(silent, ": ", in_modules.of_cycle);
  out.checks = {check_of("Scheduling errors", "Check for scheduling error entries in metrics", state::warns,
                         faulty.empty() ? faulty : "modules were at fault lately: " + faulty),
                check_of("Failed nodes", "Check for failed nodes entries in metrics", state::warns,
                         is_recent(refused_node_ns_) ? "a node was refused lately" : "")};
  {
    const std::lock_guard lock(mutex_);
    out.checks.insert(out.checks.end(), sums_.begin(), sums_.end());
  }
  out.checks.push_back(check_of("Cycle", "Check that the cycle thread runs", state::fails, silent));
  out.checks.push_back(
      check_of("Resource managers", "Check that every resource manager is connected", state::warns, away));
  out.checks.push_back(check_of("Module calls", "Check that calls of modules outside of the cycle return", state::warns,
                                in_modules.of_others));
  out.checks.push_back(check_of("Quarantine", "Check that every module is loaded", state::warns, held));
  for (auto &one : access_.checks()) out.checks.push_back(std::move(one));
  for (const auto &more : more_)
    for (auto &one : more()) out.checks.push_back(std::move(one));
  out.healthy = std::none_of(out.checks.begin(), out.checks.end(),
                             [](const health_check &one) { return one.is == state::fails; });
  return out;
}

void health_checks::look_at_sums_now_and_then() {
  pthread_setname_np(pthread_self(), "tenon-health");
  auto next = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto over = [this] { return closed_; };
    if (access_.is_manual()) {
      wake_.wait_for(lock, manual_beat, over);
    } else {
      wake_.wait(lock, [this] { return closed_ || wanted_; });
      wake_.wait_until(lock, next, over);
    }
    if (closed_) return;
    const bool due = wanted_ && std::chrono::steady_clock::now() >= next;
    if (due) wanted_ = false;
    lock.unlock();
    if (access_.is_manual()) ask_for_beat();
    if (due) look_at_sums();
    lock.lock();
    if (due) next = std::chrono::steady_clock::now() + sums_every;
  }
}

void health_checks::look_at_sums() {
  const auto view = keeper_.get(sums_want, {}, std::chrono::steady_clock::now() + sums_within);
  if (view == nullptr) return;  // the check of the cycle says why
  auto found = look_at_sums_of(view->state);
  const std::lock_guard lock(mutex_);
  sums_ = std::move(found);
}

void health_checks::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace tenon::observe
