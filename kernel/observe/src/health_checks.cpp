// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/observe/health_checks.hpp"

#include <pthread.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "health_sums.hpp"
#include "outcome_watch.hpp"
#include "snapshot_keeper.hpp"
#include "tenon/abi/host_read.h"
#include "tenon/observe/observe_services.hpp"

namespace tenon::observe {
namespace {

using std::chrono::milliseconds;
using state = health_check::state;

constexpr std::chrono::seconds sums_every{30};  // as the field's
constexpr std::chrono::seconds sums_within{2};  // for a snapshot; a scheduler that stops waits for it
constexpr milliseconds manual_beat{500};
constexpr uint32_t outcomes_want = TENON_READ_QUEUES | TENON_READ_APPLICATIONS | TENON_READ_ASKS;
constexpr int looks_in_outcome = 4;
constexpr milliseconds outcomes_apart{1'000};  // at least: whoever tells of findings asks twice a second
constexpr uint32_t sums_want = TENON_READ_ALL | services::read_contents;

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
  if (rm.unconfirmed != 0)
    return rm.id + " has not confirmed " + std::to_string(rm.unconfirmed) +
           " releases for too long: their places stay taken";
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
      sums_(look_at_sums_of({})),
      watch_(std::make_unique<outcome_watch>(modules.plan().containment.outcome)) {}

health_checks::~health_checks() { close(); }

void health_checks::add(std::function<std::vector<health_check>()> more) { more_.push_back(std::move(more)); }

void health_checks::node_refused(std::string_view partition, std::string_view node, std::string_view why) {
  const std::lock_guard lock(mutex_);
  std::erase_if(refused_, [&](const refused_node &one) { return one.partition == partition && one.node == node; });
  if (refused_.size() == most_refused) refused_.erase(refused_.begin());
  refused_.push_back({std::string(partition), std::string(node), std::string(why), now_ns()});
  some_refused_ = true;
}

void health_checks::node_accepted(std::string_view partition, std::string_view node) {
  if (!some_refused_) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(refused_, [&](const refused_node &one) { return one.partition == partition && one.node == node; });
  some_refused_ = !refused_.empty();
}

std::string health_checks::refused_lately() {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const refused_node &one : refused_)
    if (is_recent(one.at_ns))
      append(out, "; ", "node " + one.node + " of partition " + one.partition + " was refused lately: " + one.why);
  return out;
}

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
  }
  start();
  std::string faulty, held, away, silent, refusing, unplaced;
  for (const host::module_counters &m : modules_.counters()) {
    if (!m.quarantine.empty()) append(held, "; ", m.id + " " + m.quarantine);
    if (is_recent(m.last_fault_ns)) append(faulty, ", ", m.id + " (" + std::to_string(m.faults) + " so far)");
  }
  for (const outcome_finding &one : findings())
    append(one.what == outcome_finding::kind::refuses_all ? refusing : unplaced, "; ", one.object + " " + one.text);
  {
    const std::lock_guard lock(beats_->mutex);
    for (const rm_standing &rm : beats_->rms) {
      if (const std::string how = standing(rm); !how.empty()) append(away, ", ", how);
    }
  }
  const waits in_modules = waits_for(modules_.long_calls());
  if (const milliseconds waited = silence(); waited >= slow)
    silent = "the cycle thread has not answered for " + std::to_string(waited.count()) + " ms";
  if (!in_modules.of_cycle.empty()) append(silent, ": ", in_modules.of_cycle);
  out.checks = {check_of("Scheduling errors", "Check for scheduling error entries in metrics", state::warns,
                         faulty.empty() ? faulty : "modules were at fault lately: " + faulty),
                check_of("Failed nodes", "Check for failed nodes entries in metrics", state::warns, refused_lately())};
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
  out.checks.push_back(
      check_of("Predicates", "Check that every predicate lets some node pass", state::warns, refusing));
  out.checks.push_back(
      check_of("Placements", "Check that asks that could be placed are", state::warns, std::move(unplaced)));
  for (auto &one : access_.checks()) out.checks.push_back(std::move(one));
  for (const auto &more : more_)
    for (auto &one : more()) out.checks.push_back(std::move(one));
  out.healthy = std::none_of(out.checks.begin(), out.checks.end(),
                             [](const health_check &one) { return one.is == state::fails; });
  return out;
}

void health_checks::start() {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable() && !closed_) thread_ = std::thread([this] { look_now_and_then(); });
  }
  wake_.notify_all();
}

std::vector<outcome_finding> health_checks::findings() {
  start();
  std::vector<outcome_finding> out;
  for (const host::module_finding &one : modules_.findings())
    out.push_back({outcome_finding::kind::refuses_all, one.module, one.text, "lets nodes pass again"});
  const std::lock_guard lock(mutex_);
  out.insert(out.end(), outcomes_.begin(), outcomes_.end());
  return out;
}

void health_checks::look_now_and_then() {
  pthread_setname_np(pthread_self(), "tenon-health");
  using clock = std::chrono::steady_clock;
  constexpr clock::time_point never = clock::time_point::max();
  const milliseconds outcome = modules_.plan().containment.outcome;
  const bool has_outcomes = outcome.count() != 0 && !access_.is_manual();
  auto next_sums = clock::now(), next_outcomes = has_outcomes ? clock::now() : never;
  std::unique_lock lock(mutex_);
  while (!closed_) {
    const auto sums_are_due = [&] { return wanted_ && clock::now() >= next_sums; };
    const auto is_over = [&] { return closed_ || sums_are_due(); };
    if (access_.is_manual())
      wake_.wait_for(lock, manual_beat, is_over);
    else if (const auto until = wanted_ ? std::min(next_sums, next_outcomes) : next_outcomes; until == never)
      wake_.wait(lock, [&] { return closed_ || wanted_; });
    else
      wake_.wait_until(lock, until, [&] { return is_over() || (wanted_ && next_sums < until); });
    if (closed_) return;
    const bool sums = sums_are_due(), outcomes = clock::now() >= next_outcomes;
    if (sums) wanted_ = false;
    lock.unlock();
    if (access_.is_manual()) ask_for_beat();
    if (sums) look_at_sums();
    if (outcomes) look_at_outcomes();
    lock.lock();
    if (sums) next_sums = clock::now() + sums_every;
    if (outcomes) next_outcomes = clock::now() + std::max(outcome / looks_in_outcome, outcomes_apart);
  }
}

void health_checks::look_at_sums() {
  const auto view = keeper_.get(sums_want, {}, std::chrono::steady_clock::now() + sums_within);
  if (view == nullptr) return;  // the check of the cycle says why
  auto found = look_at_sums_of(view->state);
  const std::lock_guard lock(mutex_);
  sums_ = std::move(found);
}

void health_checks::look_at_outcomes() {
  const auto view = keeper_.get(outcomes_want, {}, std::chrono::steady_clock::now() + sums_within);
  if (view == nullptr) return;  // the check of the cycle says why
  std::set<std::string> resting;
  {
    const std::lock_guard lock(beats_->mutex);
    for (const rm_standing &rm : beats_->rms)
      if (!rm.connected || rm.held || rm.throttled) resting.insert(rm.id);
  }
  const auto rests = [&](const std::string &rm) { return resting.contains(rm); };
  watch_->look(view->state, rests, std::chrono::steady_clock::now());
  {
    const std::lock_guard lock(mutex_);
    outcomes_ = watch_->findings();
  }
  if (modules_.plan().containment.outcome_is_fault) take_for_faults(watch_->findings());
}

// A step's record may say that a policy is at fault, and then it is: in a replay as here.
void health_checks::take_for_faults(const std::vector<outcome_finding> &found) {
  for (const outcome_finding &one : found) {
    if (one.what != outcome_finding::kind::never_eligible) continue;
    access_.call([&](kernel &k, const kernel_access::applier &apply) {
      const partition_id where = k.find_partition(one.partition);
      // What is proposed waits for the RM's answer, and this step would propose more. Another look comes.
      if (where == partition_id::none || (k.has_checks(where) && k.open_checks(where) != 0)) return;
      step_answer told;
      told.fault.what = one.of_queues ? policy_fault::kind::queue_order : policy_fault::kind::application_order;
      told.fault.partition = one.partition;
      told.fault.policy = one.order;
      apply(step{one.partition, 1, std::span(&told, 1)});
    });
  }
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
