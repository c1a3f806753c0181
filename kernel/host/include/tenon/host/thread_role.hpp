// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which of the ABI's threads the current one is. A role is a promise about what runs at the same time, not
// an operating-system thread: one thread may step a kernel in role cycle and load modules in role main.
#pragma once

#include <cstdint>
#include <string_view>

#include "tenon/abi/host.h"

namespace tenon::host {

enum class thread_role : uint32_t {
  main = TENON_THREAD_MAIN,
  cycle = TENON_THREAD_CYCLE,
  io = TENON_THREAD_IO,
  other = TENON_THREAD_OTHER,  // a thread that nobody gave a role
};

[[nodiscard]] thread_role current_role();
[[nodiscard]] std::string_view role_name(thread_role role);

// Gives the current thread a role and gives the former one back at the end of the scope.
//
//   role_guard cycle(thread_role::cycle);
//   kernel.apply(now_ms, step{});
class role_guard {
 public:
  explicit role_guard(thread_role role);
  ~role_guard();
  role_guard(const role_guard &) = delete;
  role_guard &operator=(const role_guard &) = delete;

 private:
  static void take(thread_role role);

  thread_role former_;
};

// The current thread steps a copy of a kernel: for those who watch calls, its role cycle is role io, since nothing is
// held up where one lasts.
class copy_thread_guard {
 public:
  copy_thread_guard();
  ~copy_thread_guard();
  copy_thread_guard(const copy_thread_guard &) = delete;
  copy_thread_guard &operator=(const copy_thread_guard &) = delete;

  // This thread has one.
  [[nodiscard]] static bool is_here();

 private:
  const bool before_;
};

// The thread tag that ends a slot's comment in the ABI headers.
enum class slot_tag : uint8_t { cycle, main, io, any };

[[nodiscard]] std::string_view tag_name(slot_tag tag);
// Whether a slot with this tag may be called from a thread with this role: [main] is the writer's too, between two
// steps; [any] is that of every thread with a role.
[[nodiscard]] bool may_call(slot_tag tag, thread_role role);

}  // namespace tenon::host
