// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which module ended the process, where it did so by a way that is not a crash: exit, _exit, exec, a signal to itself.
//
//   log->warn(publish_calls("/var/lib/tenon/faults"));   // before modules are loaded
//   ...
//   end_is_known();                                      // before the process ends as it should
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tenon::host {

class call_page;

// From now on calls into modules of others are published where they can be read after this process has ended: in a file
// of that folder, or where shared_calls says. Gives what such a file of a process before says, for the log: in which
// call it was when it ended without a word. Empty: nothing.
[[nodiscard]] std::string publish_calls(const std::filesystem::path &folder);

enum class unasked_by { this_thread, any_thread };

// Where this process publishes calls, and nobody has said why it ends: writes a record of the call that ends it, which
// is that of this thread, or the only one that can be meant. False: there is none. From a signal handler, too.
bool record_unasked_end(std::string_view how, unasked_by whom);

// Such a record is written: the process is about to end, and what it destroys on the way other threads may still use.
[[nodiscard]] bool is_ending_unasked();

// That this process publishes calls and nobody has said why it ends. False in processes that it forked.
[[nodiscard]] bool is_end_unknown();
// It ends as it should, or what ended it is recorded. From a signal handler, too.
void end_is_known();

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
  // The call that can have ended it, in words; empty: there is none, or there are several.
  [[nodiscard]] std::string suspect() const;
  // Writes a record of that call. Whoever ended the child by a signal was not a module: such an end has none.
  void record(std::string_view how) const;

 private:
  call_page *page_ = nullptr;  // null: the system has no memory for it
};

}  // namespace tenon::host
