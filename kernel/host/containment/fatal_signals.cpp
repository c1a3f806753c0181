// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <optional>

#include "calls/call_place.hpp"
#include "calls/crash_place.hpp"
#include "calls/fault_text.hpp"
#include "calls/signal_stack.hpp"
#include "flight/call_writer.hpp"
#include "flight/recorded_now.hpp"
#include "tenon/host/module_fault_record.hpp"
#include "tenon/host/unasked_end.hpp"

namespace tenon::host {
namespace {

constexpr unsigned longest_record_s = 5;
constexpr int ending[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE};

// Written before the handler is there, and never after.
struct {
  char folder[PATH_MAX];
  size_t folder_length = 0;
  int status = 0, unasked_status = 0;
} end_of_process;
bool handles_fatal_signals = false;
std::atomic_flag is_writing = ATOMIC_FLAG_INIT;  // a thread writes the record of its call

recorded_call recorded(const call_place::seen_call &call) {
  const call_subject &of = *call.subject;
  return {of.module, of.version, of.digest, of.key,      of.interface, of.name,
          call.slot, call.items, call.role, call.thread, ::getpid()};
}

// The call itself, while its thread is in it, with a copy of what it says of its input.
std::optional<call_place::seen_call> place_of(const long_call &call, std::string_view folder, call_input &input) {
  for (const call_place *place : call_place::all()) {
    auto seen = place->look();
    if (!seen || seen->thread != call.thread || !has_flight_record(*seen, folder) || seen->subject->key != call.key ||
        call.slot != seen->slot)
      continue;
    const auto copy = copied_input(*place, *seen);
    if (!copy) return std::nullopt;
    input = *copy;
    seen->input = &input;
    return seen;
  }
  return std::nullopt;
}

// By a call of kill() and the like, not by what the thread did itself or a timer.
bool is_sent(const siginfo_t &what) {
  return what.si_code == SI_USER || what.si_code == SI_QUEUE || what.si_code == SI_TKILL;
}

fault_text &add_name(fault_text &to, int number) {
  const char *name = ::sigabbrev_np(number);
  return to.add("signal SIG").add(name == nullptr ? "?" : name);
}

// The thread that writes the record ends the process.
[[noreturn]] void wait_for_the_end() {
  for (;;) ::pause();
}

void on_fatal(int number, siginfo_t *info, void *context) {
  const call_place *place = call_place::of_this_thread_if_any();
  const auto call = place == nullptr ? std::nullopt : place->look();
  const bool from_outside = is_sent(*info) && info->si_pid != ::getpid();
  if (!from_outside && (call ? is_writing.test_and_set() : is_writing.test())) wait_for_the_end();
  fault_text what, record, calls;
  add_name(what, number);
  if (!call || from_outside) {
    if (!from_outside) record_unasked_end(what.text(), unasked_by::this_thread);
    // A service manager ends a daemon so that shows no life. Whoever made it silent is found by the next one.
    if (!from_outside || !has_been_silent()) end_is_known();
    let_it_be(number, *info);
    return;
  }
  if (number != SIGABRT) what.add(" at 0x").add(reinterpret_cast<uintptr_t>(info->si_addr), 16);
  const std::string_view folder{end_of_process.folder, end_of_process.folder_length};
  const bool has_call = has_flight_record(*call, folder);
  describe(recorded(*call), what.text(), unix_now_ms(), has_call ? call_file_ending : "", record);
  add_program_counter(context, call->subject->module, record);
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(longest_record_s);  // a disk that is gone takes nothing
  {
    const record_file file(folder, call->subject->key);
    file.write(record);
    end_is_known();
    // What the module spoilt ends the process here.
    add_backtrace(context, call->subject->module, calls);
    file.write(calls);
  }
  if (has_call) write_flight_record(record.add(calls.text()).add("\n").text(), *call, folder);
  ::_exit(end_of_process.status);
}

// A signal that ends the process, though nothing is wrong with it.
void on_ending(int number, siginfo_t *info, void *) {
  fault_text what;
  add_name(what, number).add(", which it sent");
  if (is_sent(*info) && info->si_pid != ::getpid())
    end_is_known();
  else if (is_sent(*info) && record_unasked_end(what.text(), unasked_by::any_thread))
    ::_exit(end_of_process.unasked_status);
  let_it_be(number, *info);
}

}  // namespace

void end_with_record_on_fatal_signals(const fault_records &where) {
  prepare_flight_records();
  if (has_own_handlers || handles_fatal_signals) return;
  const std::string &path = where.folder.native();
  if (path.size() < sizeof end_of_process.folder)
    end_of_process.folder_length = path.copy(end_of_process.folder, path.size());
  end_of_process.status = where.status;
  end_of_process.unasked_status = where.unasked_status;
  struct sigaction how {};
  how.sa_sigaction = on_fatal;
  how.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : crash_signals) sigaddset(&how.sa_mask, number);
  for (const int number : crash_signals) ::sigaction(number, &how, nullptr);
  sigemptyset(&how.sa_mask);
  how.sa_sigaction = on_ending;
  for (const int number : ending) {
    struct sigaction before {};
    if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) ::sigaction(number, &how, nullptr);
  }
  handles_fatal_signals = true;
  signal_stack::have_threads_use_one();
}

void record_fault(const fault_records &where, const long_call &call, std::string_view what) {
  const recorded_call seen{call.module, call.version, call.digest, call.key,    call.interface, call.name,
                           call.slot,   call.items,   call.role,   call.thread, ::getpid()};
  call_input input;
  const auto under_way = place_of(call, where.folder.native(), input);
  fault_text record;
  describe(seen, what, unix_now_ms(), under_way ? call_file_ending : "", record);
  record_file(where.folder.native(), call.key).write(record);
  end_is_known();
  if (under_way) write_flight_record(record.text(), *under_way, where.folder.native());
}

}  // namespace tenon::host
