// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "guards/call_guard.hpp"

#include <chrono>
#include <utility>

#include "services/error_text.hpp"
#include "tenon/host/reader_question.hpp"

namespace tenon::host {

namespace {

int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

thread_local bool reader_asks = false;

}  // namespace

reader_question::reader_question() : before_(std::exchange(reader_asks, true)) {}
reader_question::~reader_question() { reader_asks = before_; }
bool reader_question::is_asked() { return reader_asks; }

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
  out.verdicts = verdicts.load(std::memory_order_relaxed);
  out.refusals = refusals.load(std::memory_order_relaxed);
  out.refused_in_a_row = refused_in_a_row.load(std::memory_order_relaxed);
  out.refusing_since_ns = refusing_since_ns.load(std::memory_order_relaxed);
  out.last_fault_ns = last_fault_ns.load(std::memory_order_relaxed);
  out.quarantine = quarantine;
  const std::scoped_lock lock(mutex_);
  out.in_fallback = !failed_orders_.empty();
  out.last_fault = last_fault_;
  return out;
}

void module_tally::remember(std::string fault) {
  const std::scoped_lock lock(mutex_);
  last_fault_ = std::move(fault);
}

void module_tally::note_failed_order(const call_guard *guard, failed_order order) {
  constexpr size_t most = 256;
  const std::scoped_lock lock(mutex_);
  if (failed_orders_.size() < most || failed_orders_.contains(guard))
    failed_orders_.insert_or_assign(guard, std::move(order));
}

std::vector<failed_order> module_tally::failed_orders() const {
  const std::scoped_lock lock(mutex_);
  std::vector<failed_order> out;
  for (const auto &[guard, order] : failed_orders_) out.push_back(order);
  return out;
}

void module_tally::forget_failed_orders(int64_t before_ns) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(failed_orders_, [&](const auto &one) { return one.second.at_ns < before_ns; });
}

void module_tally::judge(uint64_t judged, uint64_t passed) {
  verdicts.fetch_add(judged, std::memory_order_relaxed);
  refusals.fetch_add(judged - passed, std::memory_order_relaxed);
  if (passed != 0) {
    refused_in_a_row.store(0, std::memory_order_relaxed);
  } else if (judged != 0 && refused_in_a_row.fetch_add(judged, std::memory_order_relaxed) == 0) {
    refusing_since_ns.store(monotonic_ns(), std::memory_order_relaxed);
  }
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
      subject_(kept_subject({tally_->host, tally_->own, tally_->id, tally_->version, tally_->digest, tally_->key,
                             interface, name, tally_->isolated, tally_->manifest})),
      page_entry_(tally_->own || tally_->isolated ? 0 : call_page::entry_of(*subject_)),
      interface_(std::move(interface)),
      name_(std::move(name)) {}

int64_t call_guard::monotonic_ns() { return tenon::host::monotonic_ns(); }

bool call_guard::enter(const char *slot_name, slot_tag tag) {
  const bool concurrent = busy_.exchange(true, std::memory_order_acquire);
  const thread_role role = current_role();
  if (!concurrent && may_call(tag, role)) return true;
  if (!concurrent) leave();
  tally_->on_violation({tally_->id + " " + tally_->version, interface_, name_, slot_name, tag, role, concurrent});
  return false;
}

void call_guard::fault(const char *slot_name, std::string why, bool between_processes) {
  tally_->faults.fetch_add(1, std::memory_order_relaxed);
  if (page_entry_ != 0) call_page::of_process()->restart_trial(page_entry_);
  const int64_t now_ns = monotonic_ns();
  if (const kind_entry *kind = find_kind(interface_); kind != nullptr && is_sort(kind->kind))
    tally_->note_failed_order(this, {interface_, name_, origin_ == nullptr ? instance_origin{} : *origin_, now_ns});
  tally_->last_fault_ns.store(now_ns, std::memory_order_relaxed);
  tally_->remember(std::string(slot_name) + " " + why);
  tally_->on_fault({tally_->id + " " + tally_->version, interface_, name_, slot_name, std::move(why), tally_->action,
                    between_processes});
}

void call_guard::fault_status(const char *slot_name, uint32_t items, const call_input &input, tenon_status status) {
  std::string why = cause_ ? cause_() : std::string{};
  const bool lost = lost_ && lost_();
  if (tally_->on_lost_call && lost) tally_->on_lost_call(*subject_, slot_name, items, input, why);
  const bool between_processes = lost_ && !lost && !why.empty();
  fault(slot_name, why.empty() ? "gave " + status_text(status) : std::move(why), between_processes);
}

bool time_share::is_used_up(int64_t now_ns) {
  if (now_ns - since_ns_ >= window_ns) {
    since_ns_ = now_ns;
    taken_ns_ = 0;
  }
  return taken_ns_ > most_ns;
}

void call_guard::fault_share(const char *slot_name) {
  constexpr int64_t ms = 1'000'000;
  fault(slot_name, "is not called: slow calls have taken " + std::to_string(tally_->share.taken_ns() / ms) +
                       " ms of the last " + std::to_string(time_share::window_ns / ms) + " ms, at most " +
                       std::to_string(time_share::most_ns / ms) + " ms may");
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
