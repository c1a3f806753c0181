// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/isolated_instance.hpp"

#include <algorithm>
#include <utility>

namespace tenon::host::isolation {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// After so many answers what was before is forgotten.
constexpr uint64_t sound_calls = 1000;

// Nothing for the first loss, then 100 ms, and twice as long each time.
milliseconds delay_after(uint32_t losses) {
  constexpr milliseconds first{100}, longest{30'000};
  if (losses <= 1) return milliseconds(0);
  return std::min(longest, first * (1 << std::min(losses - 2, 10U)));
}

std::string in_ms(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::duration_cast<milliseconds>(time).count()) + " ms";
}

}  // namespace

const instance_report &isolated_instance::start() {
  loss_ = {};
  begin();
  while (is_starting(of_.plan().limits.start_deadline)) continue;
  return report_;
}

bool isolated_instance::is_starting(std::chrono::nanoseconds patience) {
  if (is_under_way()) step(patience);
  if (is_under_way()) return true;
  if (state_ == state::down && !cause_.empty()) report_.words = cause_;
  return false;
}

void isolated_instance::begin() {
  report_ = {};
  auto process = of_.start();
  if (!process) return lose("has no process: " + process.why().have, {process_loss::how::no_process});
  process_ = std::move(*process);
  asked_at_ = steady_clock::now();
  calls_ = 0;
  state_ = state::opening;
}

// Returns true if the process has answered. `limit` is for all of the waiting.
bool isolated_instance::answered(std::chrono::nanoseconds patience, std::chrono::nanoseconds limit) {
  return is_there(process_->wait(patience), limit);
}

// Returns true if the call was answered in time. A process that could run and got no processor is not late: it is given
// as much processor time as its deadline is long, and waits for that no longer than processor_wait beyond the deadline.
// The first look at the processor time is after a fifth of the deadline, so a quick call costs no look.
bool isolated_instance::call_answered(std::chrono::nanoseconds limit) {
  constexpr std::chrono::nanoseconds between_looks = milliseconds(5);
  const auto first = limit / 5, longest = limit + of_.plan().limits.processor_wait;
  module_process::outcome how = process_->wait(first);
  std::string_view waited;
  if (how == module_process::outcome::late) {
    const auto before = process_->processor_time();
    how = process_->wait(limit - first);
    for (bool may_go_on = true; how == module_process::outcome::late && may_go_on;) {
      may_go_on = steady_clock::now() - asked_at_ < longest && process_->processor_time() - before < limit - first &&
                  process_->could_run();
      if (may_go_on) waited = ", and had to wait for a processor";
      how = process_->wait(may_go_on ? between_looks : std::chrono::nanoseconds(0));  // the answer may just have come
    }
  }
  return is_there(how, limit, waited);
}

bool isolated_instance::is_there(module_process::outcome how, std::chrono::nanoseconds limit, std::string_view waited) {
  switch (how) {
    case module_process::outcome::answered:
      return true;
    case module_process::outcome::ended:
      lose(process_->how_it_ended(), process_->loss());
      return false;
    case module_process::outcome::late:
      break;
  }
  if (steady_clock::now() - asked_at_ >= limit)
    lose(
        "gave no answer in " + in_ms(limit) + std::string(waited) + "; its process was killed" + process_->last_words(),
        {process_loss::how::late});
  return false;
}

// One step of the way from a new process to an active instance.
void isolated_instance::step(std::chrono::nanoseconds patience) {
  if (!answered(patience, of_.plan().limits.start_deadline)) return;
  if (state_ == state::opening)
    opened();
  else
    created();
}

void isolated_instance::opened() {
  const module_report report = read_module_report(process_->reply());
  if (!report.opened) return lose("could not open its library again: " + report.have, {process_loss::how::no_process});
  process_->ask(call_kind::create, request_);
  asked_at_ = steady_clock::now();
  state_ = state::creating;
}

void isolated_instance::created() {
  report_ = read_instance_report(process_->reply());
  batches_.emplace(process_->requests());
  if (report_.stage == create_stage::active) {
    state_ = state::active;
    has_been_active_ = true;
    return;
  }
  if (has_been_active_) return lose("did not start again: " + report_.words, {process_loss::how::no_process});
  // A refusal is no loss: whoever asked for the instance is told.
  process_.reset();
  state_ = state::down;
}

bool isolated_instance::is_ready() {
  if (state_ == state::active) return true;
  const auto now = steady_clock::now();
  if (state_ == state::down && now >= not_before_) begin();
  if (is_under_way()) step(std::chrono::nanoseconds(0));
  if (state_ == state::active) return true;
  if (cause_.empty()) cause_ = "has no process at the moment: another one is being started";
  return false;
}

void isolated_instance::lose(std::string why, const process_loss &how) {
  cause_ = std::move(why);
  loss_ = how;
  process_.reset();
  state_ = state::down;
  if (calls_ >= sound_calls) losses_ = 0;
  ++losses_;
  not_before_ = steady_clock::now() + delay_after(losses_);
}

void isolated_instance::end() {
  if (state_ == state::active) process_->end(of_.plan().limits.end_deadline());
  process_.reset();
  state_ = state::down;
}

void isolated_instance::end_and_look(std::chrono::milliseconds limit) {
  loss_ = {};
  if (state_ != state::active) return;
  process_->ask(call_kind::end, {});
  asked_at_ = steady_clock::now();
  if (answered(limit, limit)) return;
  if (loss_.what != process_loss::how::ended || loss_.signal != 0 || loss_.status != 0) return;
  cause_.clear();
  loss_ = {};
}

}  // namespace tenon::host::isolation
