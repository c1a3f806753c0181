// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "runner/crash_words.hpp"

#include <signal.h>
#include <unistd.h>

#include "calls/crash_place.hpp"

namespace tenon::host::runner {
namespace {

const char *module_name = "";
alignas(16) char stack[size_t{64} << 10];  // where the handler runs when the thread's own stack is full

void say(const fault_text &words) {
  [[maybe_unused]] const ssize_t wrote = ::write(STDERR_FILENO, words.text().data(), words.text().size());
}

void on_crash(int number, siginfo_t *info, void *context) {
  fault_text where, calls;
  add_program_counter(context, module_name, where);
  say(where);
  add_backtrace(context, module_name, calls);
  say(calls);
  let_it_be(number, *info);
}

}  // namespace

void say_where_it_crashes(const char *module) {
  if (has_own_handlers) return;
  module_name = module;
  stack_t mine{};
  mine.ss_sp = stack;
  mine.ss_size = sizeof stack;
  if (::sigaltstack(&mine, nullptr) != 0) return;
  struct sigaction how {};
  how.sa_sigaction = on_crash;
  how.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : crash_signals) sigaddset(&how.sa_mask, number);
  for (const int number : crash_signals) ::sigaction(number, &how, nullptr);
}

}  // namespace tenon::host::runner
