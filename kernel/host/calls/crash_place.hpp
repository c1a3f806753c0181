// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Where a thread was when a fatal signal came. Only signal handlers call these functions: nothing here allocates or
// takes a lock.
#pragma once

#include <signal.h>

#include <string_view>

#include "calls/fault_text.hpp"

namespace tenon::host {

// A sanitizer has handlers of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool has_own_handlers = true;
#elif defined(__has_feature)
inline constexpr bool has_own_handlers = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool has_own_handlers = false;
#endif

inline constexpr int crash_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

// Adds the line `pc`: the program counter as a library with an offset in it. `context` is the handler's third argument.
// A library that was opened from memory is called by the id of the `module`.
void add_program_counter(const void *context, std::string_view module, fault_text &to);

// Adds the lines `build_ids` and `backtrace`: the calls that led to the program counter, the innermost first, and the
// build ids of all libraries in which these are. Reads the stack, so it may crash itself where that is lost. The
// handler has these signals blocked: such a crash then ends the process.
void add_backtrace(const void *context, std::string_view module, fault_text &to);

// As if there were no handler: the instruction is tried again, or abort() goes on.
void let_it_be(int number, const siginfo_t &what);

}  // namespace tenon::host
