// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Around every slot of an instance: counts, times, checks threads, and tells faults to the host.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "calls/call_input.hpp"
#include "calls/call_page.hpp"
#include "calls/call_place.hpp"
#include "tenon/abi/base.h"
#include "tenon/host/module_watch.hpp"
#include "tenon/host/thread_role.hpp"

namespace tenon::host {

// Of a call in which a module's process was lost, on the thread of the call: whose it is, and how it was lost.
using lost_call_handler = std::function<void(const call_subject &, const char *slot, uint32_t items, const call_input &,
                                             const std::string &why)>;

class call_guard;

// How much of the cycle thread's time a module takes by calls that everybody else notices.
class time_share {
 public:
  static constexpr int64_t window_ns = 10'000'000'000, most_ns = window_ns / 5, noticed_ns = 10'000'000;

  // True if the module has had its share and is not to be called in the rest of this window. Of the cycle thread alone.
  [[nodiscard]] bool is_used_up(int64_t now_ns);
  // A call that began in this window has taken so long.
  void take(int64_t took_ns) { taken_ns_ += took_ns < noticed_ns ? 0 : took_ns; }
  [[nodiscard]] int64_t taken_ns() const { return taken_ns_; }

 private:
  int64_t since_ns_ = 0, taken_ns_ = 0;
};

// An instance of an order that failed, so that the built-in order decides in its place.
struct failed_order {
  std::string interface, name;
  instance_origin origin;
  int64_t at_ns = 0;  // of the steady clock: its last fault
};

// Shared by all instances of a module.
struct module_tally {
  std::string id, version, kind, name;
  std::string digest;      // of the library
  std::string key;         // as call_subject has it
  std::string manifest;    // as call_subject has it
  bool own = false;        // the project's
  bool isolated = false;   // as call_subject has it
  std::string quarantine;  // as module_counters has it
  uint64_t host = 0;       // as call_subject has it
  fault_action action = fault_action::fallback;
  call_budget budget;      // call_us 0: there is none
  bool has_share = false;  // all of its calls in slots of the cycle take from `share`, and all are timed
  time_share share;
  bool check_calls = false;  // on which threads it is called
  fault_handler on_fault;
  violation_handler on_violation;
  lost_call_handler on_lost_call;  // empty: nobody wants to know
  std::atomic<uint64_t> calls{0}, faults{0}, overruns{0};
  std::atomic<uint64_t> measured{0}, measured_ns{0}, most_ns{0};
  std::atomic<int64_t> last_fault_ns{0};
  std::atomic<uint64_t> verdicts{0}, refusals{0}, refused_in_a_row{0};
  std::atomic<int64_t> refusing_since_ns{0};

  // What a predicate said of so many nodes, of which `passed` may be used.
  void judge(uint64_t judged, uint64_t passed);
  void measure(int64_t took_ns);
  void remember(std::string fault);
  // Notes that the order behind `guard` failed.
  void note_failed_order(const call_guard *guard, failed_order order);
  [[nodiscard]] std::vector<failed_order> failed_orders() const;
  // Forgets the orders that failed before then: others have taken their places.
  void forget_failed_orders(int64_t before_ns);
  [[nodiscard]] module_counters counters() const;

 private:
  mutable std::mutex mutex_;
  std::string last_fault_;
  std::map<const call_guard *, failed_order> failed_orders_;
};

class call_guard {
 public:
  struct no_problem {
    std::string operator()(tenon_status) const { return {}; }
  };

  call_guard(std::shared_ptr<module_tally> tally, std::string interface, std::string name);
  call_guard(const call_guard &) = delete;
  call_guard &operator=(const call_guard &) = delete;

  // Asked, where a status is a fault, whether it is known why: words that then stand for the status. Empty: it is not.
  // `lost`: whether that call was the end of the module's process.
  void explain_by(std::function<std::string()> cause, std::function<bool()> lost = {}) {
    cause_ = std::move(cause);
    lost_ = std::move(lost);
  }
  // What the instance was made of, for records of its calls. Stays where it is while there are calls.
  void made_of(const instance_origin &origin) { origin_ = &origin; }

  [[nodiscard]] fault_action action() const { return tally_->action; }
  void judge(uint64_t judged, uint64_t passed) { tally_->judge(judged, passed); }

  // Calls `slot()` and gives its status. A status for which `expected(status)` is false, a `problem(status)` that
  // is not empty, or a broken budget is a fault: then INTERNAL.
  template <class Slot, class Expected, class Problem = no_problem>
  tenon_status call(const char *slot_name, slot_tag tag, const given_to_call &given, Slot &&slot, Expected &&expected,
                    Problem &&problem = {}) {
    if (tally_->check_calls && !enter(slot_name, tag)) return TENON_INTERNAL;
    const uint32_t items = given.items;
    const call_input input{given.shape, given.key_words, given.in, origin_};
    const uint64_t ordinal = tally_->calls.fetch_add(1, std::memory_order_relaxed);
    // Timing costs about as much as a small call: one in 64, and each batch where there is a budget.
    const bool measured = ordinal % 64 == 0 || tally_->has_share;
    const bool timed = measured || (tally_->budget.call_us != 0 && items > 1);
    const int64_t start_ns = timed ? monotonic_ns() : 0;
    const bool shares = tally_->has_share && tag == slot_tag::cycle && !copy_thread_guard::is_here();
    if (shares && tally_->share.is_used_up(start_ns)) {
      if (tally_->check_calls) leave();
      fault_share(slot_name);
      return TENON_INTERNAL;
    }
    tenon_status status = TENON_OK;
    {
      const published_call published(subject_, slot_name, items, &input);
      const call_on_page on_page(page_entry_, slot_name, items);
      status = called(slot);
    }
    const int64_t took_ns = timed ? monotonic_ns() - start_ns : 0;
    if (measured) tally_->measure(took_ns);
    if (shares) tally_->share.take(took_ns);
    if (tally_->check_calls) leave();
    if (!expected(status)) {
      fault_status(slot_name, items, input, status);
      status = TENON_INTERNAL;
    } else if (std::string why = problem(status); !why.empty()) {
      fault(slot_name, std::move(why));
      status = TENON_INTERNAL;
    } else if (timed && has_budget() && over_budget(slot_name, took_ns)) {
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
  // A thread that tries something in a copy may wait long for a processor, and the module is not late then.
  [[nodiscard]] bool has_budget() const { return tally_->budget.call_us != 0 && !copy_thread_guard::is_here(); }
  static int64_t monotonic_ns();
  bool enter(const char *slot_name, slot_tag tag);
  void leave() { busy_.store(false, std::memory_order_release); }
  void fault(const char *slot_name, std::string why, bool between_processes = false);
  void fault_status(const char *slot_name, uint32_t items, const call_input &input, tenon_status status);
  void fault_share(const char *slot_name);
  bool over_budget(const char *slot_name, int64_t took_ns);

  std::shared_ptr<module_tally> tally_;
  const call_subject *subject_;
  const uint32_t page_entry_;  // 0: none, as of modules that are the project's own or have a process of their own
  std::string interface_;
  std::string name_;
  std::function<std::string()> cause_;
  std::function<bool()> lost_;
  const instance_origin *origin_ = nullptr;
  uint64_t late_in_a_row_ = 0;
  std::atomic<bool> busy_{false};
};

}  // namespace tenon::host
