// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "containment/fatal_signals.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>

#include "containment/fault_text.hpp"
#include "tenon/host/module_fault_record.hpp"

namespace tenon::host {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_own_handlers = true;
#elif defined(__has_feature)
constexpr bool has_own_handlers = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool has_own_handlers = false;
#endif

constexpr size_t stack_bytes = size_t{64} << 10;
constexpr int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

// Written before the handler is there, and never after.
struct {
  char folder[PATH_MAX];
  size_t folder_length = 0;
  int status = 0;
} end_of_process;
std::atomic<bool> handles_fatal_signals{false};
std::atomic_flag is_writing = ATOMIC_FLAG_INIT;

int64_t unix_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

void on_fatal(int number, siginfo_t *info, void *) {
  const call_place *place = call_place::of_this_thread_if_any();
  const auto call = place == nullptr ? std::nullopt : place->look();
  if (!call || is_writing.test_and_set()) {
    // As if there were no handler: the instruction is tried again, or abort() goes on.
    ::signal(number, SIG_DFL);
    if (info->si_code <= 0) ::raise(number);
    return;
  }
  fault_text what, record;
  const char *name = ::sigabbrev_np(number);
  what.add("signal SIG").add(name == nullptr ? "?" : name);
  if (number != SIGABRT) what.add(" at 0x").add(reinterpret_cast<uintptr_t>(info->si_addr), 16);
  describe(*call, what.text(), unix_ms(), record);
  write_record(record, {end_of_process.folder, end_of_process.folder_length}, call->subject->key);
  ::_exit(end_of_process.status);
}

}  // namespace

signal_stack::~signal_stack() {
  if (memory_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
}

void signal_stack::use() {
  if (memory_ != nullptr || !handles_fatal_signals) return;
  stack_t before{};
  if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
  memory_ = std::make_unique<char[]>(stack_bytes);
  stack_t mine{};
  mine.ss_sp = memory_.get();
  mine.ss_size = stack_bytes;
  if (::sigaltstack(&mine, nullptr) != 0) memory_.reset();
}

void end_with_record_on_fatal_signals(const fault_records &where) {
  if (has_own_handlers || handles_fatal_signals) return;
  const std::string &path = where.folder.native();
  if (path.size() < sizeof end_of_process.folder)
    end_of_process.folder_length = path.copy(end_of_process.folder, path.size());
  end_of_process.status = where.status;
  struct sigaction how {};
  how.sa_sigaction = on_fatal;
  how.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&how.sa_mask);
  for (const int number : fatal) ::sigaction(number, &how, nullptr);
  handles_fatal_signals = true;
}

void record_fault(const fault_records &where, const long_call &call, std::string_view what) {
  const call_subject subject{0, false, call.module, call.version, call.digest, call.key, call.interface, call.name};
  call_place::seen_call seen;
  seen.subject = &subject;
  seen.slot = call.slot.c_str();
  seen.items = call.items;
  seen.role = call.role;
  seen.thread = call.thread;
  fault_text record;
  describe(seen, what, unix_ms(), record);
  write_record(record, where.folder.native(), call.key);
}

}  // namespace tenon::host
