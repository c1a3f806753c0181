// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/own_signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "tenon/host/unasked_end.hpp"

namespace tenon::cli {
namespace {

using plain_handler = void (*)(int);

std::atomic<own_signal> came{own_signal::none};
std::atomic<plain_handler> next_of_int{nullptr}, next_of_term{nullptr};

void look(int number, siginfo_t *info, void *) {
  const int error = errno;
  const bool sent = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
  if (sent && info->si_pid == ::getpid()) {
    const bool recorded =
        host::record_unasked_end(number == SIGTERM ? "signal SIGTERM, which it sent" : "signal SIGINT, which it sent",
                                 host::unasked_by::any_thread);
    came = recorded ? own_signal::recorded : own_signal::without_record;
  }
  (number == SIGTERM ? next_of_term : next_of_int).load()(number);
  errno = error;
}

// What is to be there, of SIGHUP, SIGINT and SIGTERM. Written once, before the daemon is ready.
struct kept_handler {
  int number;
  const char *name;
  struct sigaction how;
};
kept_handler kept[] = {{SIGHUP, "SIGHUP", {}}, {SIGINT, "SIGINT", {}}, {SIGTERM, "SIGTERM", {}}};

void look_before(int number, std::atomic<plain_handler> &next) {
  struct sigaction how {};
  if (::sigaction(number, nullptr, &how) != 0) return;
  next = how.sa_handler;
  how.sa_sigaction = look;
  how.sa_flags |= SA_SIGINFO;
  ::sigaction(number, &how, nullptr);
}

}  // namespace

void look_at_senders() {
  look_before(SIGINT, next_of_int);
  look_before(SIGTERM, next_of_term);
  for (kept_handler &one : kept) ::sigaction(one.number, nullptr, &one.how);
}

void accept_own_signals() {
  sigset_t own{};
  sigemptyset(&own);
  for (const kept_handler &one : kept) sigaddset(&own, one.number);
  ::sigprocmask(SIG_UNBLOCK, &own, nullptr);
}

std::string put_back_handlers() {
  std::string out;
  for (const kept_handler &one : kept) {
    struct sigaction now {};
    if (::sigaction(one.number, nullptr, &now) != 0 || now.sa_sigaction == one.how.sa_sigaction) continue;
    ::sigaction(one.number, &one.how, nullptr);
    out += (out.empty() ? "" : ", ") + std::string(one.name);
  }
  return out;
}

own_signal own_signal_that_came() { return came; }

}  // namespace tenon::cli
