// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Calls into modules of others that are under way in a process, in memory that outlives it: who looks there after its
// end reads which they were. Places in it are published besides call_place, which has what only the process can read.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <string_view>

#include "calls/call_place.hpp"
#include "calls/fault_text.hpp"

namespace tenon::host {

class call_page {
 public:
  enum class life : uint32_t { none, runs, ended };  // ended: as its operator asked, or what ended it is recorded

  // A module with a policy of it. From 1 on; 0 is none.
  struct entry {
    char module[96], version[32], digest[72], key[96], interface[48], name[96];
    uint32_t first_of_key;  // the entry that counts for all with this key
    // Its mark. A module is on trial from its first call and from each of its faults on, until it has worked for a
    // while.
    std::atomic<uint64_t> calls;
    std::atomic<int64_t> since_ms;  // of the machine's clock that does not jump; 0: it was not called yet
  };
  // A thread that is in a call, or is in none.
  struct line {
    std::atomic<uint32_t> of;  // its entry
    std::atomic<uint32_t> items;
    std::atomic<int64_t> thread;
    std::atomic<uint32_t> role;
    char slot[44];
  };

  static constexpr uint64_t calls_of_trial = 10'000;
  static constexpr int64_t trial_ms = 60'000;

  // Where this process publishes; null: nowhere. Set before modules are loaded, once.
  static call_page *of_process() { return of_process_.load(std::memory_order_acquire); }
  static void publish_in(call_page *page) { of_process_.store(page, std::memory_order_release); }

  // Empty, as memory that is all zeros is; and from now on that of this process.
  void begin(std::string_view folder, std::string_view boot);
  // Made by this program on this boot of the machine, by a process that neither was asked to end nor said why it did.
  [[nodiscard]] bool is_of_a_lost_process(std::string_view boot) const;

  // In the page of this process, where there is one. 0: there is no room. From any thread.
  [[nodiscard]] static uint32_t entry_of(const call_subject &subject);
  [[nodiscard]] line *line_of(const call_place &place);
  void enter(line &at, uint32_t of, const char *slot, uint32_t items, int64_t thread);
  void restart_trial(uint32_t of);

  // From a signal handler, and in memory that another process wrote: that call which alone can have ended the process.
  // `thread`: of which it is known that it did; 0: it is not known, then the only call that is under way, or the only
  // one of a module on trial. Null: there is none, or there are several. Then every module on trial is suspected.
  [[nodiscard]] const line *suspect(int64_t thread) const;
  [[nodiscard]] const entry &of(const line &at) const {
    return entries_[std::min<size_t>(at.of.load(std::memory_order_relaxed), entries_.size() - 1)];
  }
  // Whether the entry counts for its module, and the module was on trial when this process was last alive.
  [[nodiscard]] bool is_on_trial(uint32_t of) const;
  [[nodiscard]] bool is_on_trial(const line &at) const;
  // From 1 to this number.
  [[nodiscard]] uint32_t entry_count() const;
  // Returns what a record says of that call.
  [[nodiscard]] recorded_call recorded(const line &at) const;
  // Returns what a record says of a module on trial, if no call can be meant.
  [[nodiscard]] recorded_call recorded(uint32_t of) const;

  // The process schedules at this moment. It does so again within `most_silence`; 0: nobody is to expect that.
  void show_alive(std::chrono::milliseconds most_silence);
  void after_ms(int64_t time) { alive_ms_ += time; }  // in tests: that much time has gone by
  [[nodiscard]] int64_t alive_ms() const { return alive_ms_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::chrono::milliseconds most_silence() const {
    return std::chrono::milliseconds(most_silence_ms_.load(std::memory_order_relaxed));
  }

  [[nodiscard]] int64_t process() const { return process_.load(std::memory_order_relaxed); }
  [[nodiscard]] life state() const { return state_.load(std::memory_order_acquire); }
  // False: it has ended before.
  bool end() { return state_.exchange(life::ended, std::memory_order_acq_rel) == life::runs; }
  [[nodiscard]] std::string_view folder() const;

 private:
  [[nodiscard]] uint32_t kept_entry(const call_subject &subject);
  [[nodiscard]] recorded_call recorded(const entry &one) const;

  static std::atomic<call_page *> of_process_;

  char made_by_[16];  // a mark of this layout
  char boot_[48];
  std::atomic<life> state_;
  std::atomic<int64_t> process_;
  std::atomic<int64_t> alive_ms_, most_silence_ms_;  // of the same clock as since_ms
  char folder_[PATH_MAX];                            // of records
  std::atomic<uint32_t> entry_count_;
  std::array<entry, 129> entries_;
  std::array<line, 256> lines_;  // by call_place::index()
};

// A call of this thread into a module of others, for as long as the scope lasts; it is published as a call before.
class call_on_page {
 public:
  // `entry` 0: nothing is put there.
  call_on_page(uint32_t entry, const char *slot, uint32_t items);
  ~call_on_page();
  call_on_page(const call_on_page &) = delete;
  call_on_page &operator=(const call_on_page &) = delete;

 private:
  call_page::line *line_ = nullptr;
  uint32_t outer_ = 0;
  uint32_t outer_items_ = 0;
  char outer_slot_[sizeof call_page::line::slot];
};

}  // namespace tenon::host
