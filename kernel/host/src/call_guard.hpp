// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Around every slot of an instance: counts, times, checks threads, and tells faults to the host.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "containment/call_place.hpp"
#include "containment/call_surroundings.hpp"
#include "tenon/abi/base.h"
#include "tenon/host/module_watch.hpp"

namespace tenon::host {

// Shared by all instances of a module.
struct module_tally {
  std::string id, version, kind, name;
  std::string digest;      // of the library
  std::string key;         // as call_subject has it
  bool own = false;        // the project's
  std::string quarantine;  // as module_counters has it
  uint64_t host = 0;       // as call_subject has it
  fault_action action = fault_action::fallback;
  call_budget budget;          // call_us 0: there is none
  bool only_on_cycle = false;  // it is for slots of the cycle: others may take their time
  bool times_all_calls = false;
  bool guards_process = false;  // what it reads and what is around it must be as before after each call
  bool guards_folder = false;   // the working directory and limits as well
  bool check_calls = false;     // threads, and what a slot writes
  fault_handler on_fault;
  violation_handler on_violation;
  std::atomic<uint64_t> calls{0}, faults{0}, overruns{0};
  std::atomic<uint64_t> measured{0}, measured_ns{0}, most_ns{0};
  std::atomic<int64_t> last_fault_ns{0};

  void measure(int64_t took_ns);
  void remember(std::string fault);
  [[nodiscard]] module_counters counters() const;

 private:
  mutable std::mutex mutex_;
  std::string last_fault_;
};

class call_guard {
 public:
  call_guard(std::shared_ptr<module_tally> tally, std::string interface, std::string name);
  call_guard(const call_guard &) = delete;
  call_guard &operator=(const call_guard &) = delete;

  // Asked, where a status is a fault, whether it is known why: words that then stand for the status. Empty: it is not.
  void explain_by(std::function<std::string()> cause) { cause_ = std::move(cause); }

  // A canary behind what a slot writes.
  [[nodiscard]] bool checks_output() const { return tally_->check_calls || tally_->guards_process; }
  // That a slot does not write what it reads.
  [[nodiscard]] bool checks_input() const { return tally_->guards_process; }
  [[nodiscard]] fault_action action() const { return tally_->action; }

  // Calls `slot()` and gives its status. A status for which `expected(status)` is false, a `problem(status)` that
  // is not empty, or a broken budget is a fault: then INTERNAL. `items` is the size of the batch.
  template <class Slot, class Expected, class Problem>
  tenon_status call(const char *slot_name, slot_tag tag, uint32_t items, Slot &&slot, Expected &&expected,
                    Problem &&problem) {
    if (tally_->check_calls && !enter(slot_name, tag)) return TENON_INTERNAL;
    const uint64_t ordinal = tally_->calls.fetch_add(1, std::memory_order_relaxed);
    // Timing costs about as much as a small call: one in 64, and each batch where there is a budget.
    const bool measured = ordinal % 64 == 0 || tally_->times_all_calls;
    const bool timed = measured || (tally_->budget.call_us != 0 && items > 1);
    const int64_t start_ns = timed ? monotonic_ns() : 0;
    tenon_status status = TENON_OK;
    std::string changed;
    if (tally_->guards_process) {
      const call_surroundings before(tally_->guards_folder && ordinal % 64 == 0);
      {
        const published_call published(subject_, slot_name, items);
        status = called(slot);
      }
      changed = before.put_back();
    } else {
      const published_call published(subject_, slot_name, items);
      status = called(slot);
    }
    const int64_t took_ns = timed ? monotonic_ns() - start_ns : 0;
    if (measured) tally_->measure(took_ns);
    if (tally_->check_calls) leave();
    if (!changed.empty()) {
      fault(slot_name, "changed " + changed + ", which is put back");
      status = TENON_INTERNAL;
    } else if (!expected(status)) {
      fault_status(slot_name, status);
      status = TENON_INTERNAL;
    } else if (std::string why = problem(status); !why.empty()) {
      fault(slot_name, std::move(why));
      status = TENON_INTERNAL;
    } else if (timed && has_budget(tag) && over_budget(slot_name, took_ns)) {
      status = TENON_INTERNAL;
    }
    return status;
  }

 private:
  // An exception ends the process here, where it is known whose it is.
  template <class Slot>
  static tenon_status called(Slot &slot) noexcept {
    return slot();
  }
  [[nodiscard]] bool has_budget(slot_tag tag) const {
    return tally_->budget.call_us != 0 && (!tally_->only_on_cycle || tag == slot_tag::cycle);
  }
  static int64_t monotonic_ns();
  bool enter(const char *slot_name, slot_tag tag);
  void leave() { busy_.store(false, std::memory_order_release); }
  void fault(const char *slot_name, std::string why);
  void fault_status(const char *slot_name, tenon_status status);
  bool over_budget(const char *slot_name, int64_t took_ns);

  std::shared_ptr<module_tally> tally_;
  const call_subject *subject_;
  std::string interface_;
  std::string name_;
  std::function<std::string()> cause_;
  uint64_t late_in_a_row_ = 0;
  std::atomic<bool> busy_{false};
};

}  // namespace tenon::host
