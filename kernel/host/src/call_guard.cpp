// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "call_guard.hpp"

#include <chrono>

#include "error_text.hpp"

namespace tenon::host {

std::string thread_violation::text() const {
  std::string out = module + ": " + interface + " '" + name + "': " + slot + " is " + std::string(tag_name(wanted));
  if (concurrent) return out + ", and another thread is in the same instance";
  return out + ", and was called on a thread with role " + std::string(role_name(have)) +
         (have == thread_role::other ? " (hold a tenon::host::role_guard)" : "");
}

module_counters module_tally::counters() const {
  module_counters out{id, version, kind, name};
  out.calls = calls.load(std::memory_order_relaxed);
  out.faults = faults.load(std::memory_order_relaxed);
  out.overruns = overruns.load(std::memory_order_relaxed);
  out.measured = measured.load(std::memory_order_relaxed);
  out.measured_ns = measured_ns.load(std::memory_order_relaxed);
  out.most_ns = most_ns.load(std::memory_order_relaxed);
  out.last_fault_ns = last_fault_ns.load(std::memory_order_relaxed);
  out.quarantine = quarantine;
  const std::scoped_lock lock(mutex_);
  out.last_fault = last_fault_;
  return out;
}

void module_tally::remember(std::string fault) {
  const std::scoped_lock lock(mutex_);
  last_fault_ = std::move(fault);
}

void module_tally::measure(int64_t took_ns) {
  const auto took = static_cast<uint64_t>(took_ns);
  measured.fetch_add(1, std::memory_order_relaxed);
  measured_ns.fetch_add(took, std::memory_order_relaxed);
  uint64_t most = most_ns.load(std::memory_order_relaxed);
  while (took > most && !most_ns.compare_exchange_weak(most, took, std::memory_order_relaxed)) {
  }
}

call_guard::call_guard(std::shared_ptr<module_tally> tally, std::string interface, std::string name)
    : tally_(std::move(tally)),
      subject_(kept_subject(
          {tally_->host, tally_->own, tally_->id, tally_->version, tally_->digest, tally_->key, interface, name})),
      interface_(std::move(interface)),
      name_(std::move(name)) {}

int64_t call_guard::monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool call_guard::enter(const char *slot_name, slot_tag tag) {
  const bool concurrent = busy_.exchange(true, std::memory_order_acquire);
  const thread_role role = current_role();
  if (!concurrent && may_call(tag, role)) return true;
  if (!concurrent) leave();
  tally_->on_violation({tally_->id + " " + tally_->version, interface_, name_, slot_name, tag, role, concurrent});
  return false;
}

void call_guard::fault(const char *slot_name, std::string why) {
  tally_->faults.fetch_add(1, std::memory_order_relaxed);
  tally_->last_fault_ns.store(monotonic_ns(), std::memory_order_relaxed);
  tally_->remember(std::string(slot_name) + " " + why);
  tally_->on_fault({tally_->id + " " + tally_->version, interface_, name_, slot_name, std::move(why), tally_->action});
}

void call_guard::fault_status(const char *slot_name, tenon_status status) {
  std::string why = cause_ ? cause_() : std::string{};
  fault(slot_name, why.empty() ? "gave " + status_text(status) : std::move(why));
}

bool call_guard::over_budget(const char *slot_name, int64_t took_ns) {
  const auto took_us = static_cast<uint64_t>(took_ns / 1000);
  if (took_us <= tally_->budget.call_us) {
    late_in_a_row_ = 0;
    return false;
  }
  tally_->overruns.fetch_add(1, std::memory_order_relaxed);
  if (++late_in_a_row_ < tally_->budget.overruns) return false;
  late_in_a_row_ = 0;
  fault(slot_name, "took " + std::to_string(took_us) + " us, the budget is " + std::to_string(tally_->budget.call_us) +
                       " us (" + std::to_string(tally_->budget.overruns) + " late calls in a row)");
  return true;
}

}  // namespace tenon::host
