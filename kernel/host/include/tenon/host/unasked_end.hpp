// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which module ended the process, whatever the way: exit, _exit, exec, a signal to itself, a crash outside of calls.
//
//   log->warn(publish_calls("/var/lib/tenon/faults"));   // before modules are loaded
//   ...
//   end_is_known();                                      // before the process ends as it should
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tenon::host {

class call_page;

// From now on calls into modules of others are published where they can be read after this process has ended: in a file
// of that folder, or where shared_calls says. If a process before left such a file and ended without a word, records
// are written of whoever is suspected. Returns that for the log; empty: there is nothing to say.
[[nodiscard]] std::string publish_calls(const std::filesystem::path &folder);

enum class unasked_by { this_thread, any_thread };

// Where this process publishes calls, and nobody has said why it ends: writes a record of the call that ends it, which
// is that of this thread, or the only one that can be meant. If no call can be meant, writes a record of each module on
// trial. Returns false if nobody is suspected. From a signal handler, too.
bool record_unasked_end(std::string_view how, unasked_by whom);

// That this process publishes calls and nobody has said why it ends. False in processes that it forked.
[[nodiscard]] bool is_end_unknown();
// It ends as it should, or what ended it is recorded. From a signal handler, too.
void end_is_known();

// This process schedules at this moment, and says so again within `most_silence`; 0: from now on nobody is to expect
// it.
void show_alive(std::chrono::milliseconds most_silence);
// True if show_alive() was to be called again long ago. From a signal handler, too.
[[nodiscard]] bool has_been_silent();

// Where children publish their calls, for the process that waits for their end.
class shared_calls {
 public:
  shared_calls();
  ~shared_calls();
  shared_calls(const shared_calls &) = delete;
  shared_calls &operator=(const shared_calls &) = delete;

  void empty();      // before a child is made
  void use() const;  // in the child: before publish_calls()

  // What a child left that has ended. `is_known`: as it should, or what ended it is recorded.
  [[nodiscard]] bool is_known() const;
  // Returns the call that can have ended it, or the modules on trial, in words; empty: nobody is suspected. `killed`: a
  // signal ended it, which others can send, so a module that is not on trial is not suspected.
  [[nodiscard]] std::string suspects(bool killed) const;
  // Writes records of them.
  void record(std::string_view how, bool killed) const;

  // Of a child that runs: when it last showed that it is alive, by a clock of its own, and within which time it is to
  // do so again; 0: it is not expected to.
  [[nodiscard]] int64_t alive_ms() const;
  [[nodiscard]] std::chrono::milliseconds most_silence() const;

 private:
  call_page *page_ = nullptr;  // null: the system has no memory for it
};

}  // namespace tenon::host
