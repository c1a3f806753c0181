// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/own_signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "run/exit_code.hpp"
#include "tenon/host/unasked_end.hpp"

namespace tenon::cli {
namespace {

using plain_handler = void (*)(int);

std::atomic<plain_handler> next_of_int{nullptr}, next_of_term{nullptr};

void look_at_sender(int number, siginfo_t *info, void *) {
  const bool sent = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
  if (sent && info->si_pid == ::getpid()) {
    host::record_unasked_end(number == SIGTERM ? "signal SIGTERM, which it sent" : "signal SIGINT, which it sent",
                             host::unasked_by::any_thread);
    ::_exit(static_cast<int>(exit_code::unasked));
  }
  (number == SIGTERM ? next_of_term : next_of_int).load()(number);
}

void look_before(int number, std::atomic<plain_handler> &next) {
  struct sigaction how {};
  if (::sigaction(number, nullptr, &how) != 0) return;
  next = how.sa_handler;
  how.sa_sigaction = look_at_sender;
  how.sa_flags |= SA_SIGINFO;
  ::sigaction(number, &how, nullptr);
}

}  // namespace

void look_at_senders() {
  look_before(SIGINT, next_of_int);
  look_before(SIGTERM, next_of_term);
}

void accept_own_signals() {
  sigset_t own{};
  sigemptyset(&own);
  for (const int number : {SIGHUP, SIGINT, SIGTERM}) sigaddset(&own, number);
  ::sigprocmask(SIG_UNBLOCK, &own, nullptr);
}

}  // namespace tenon::cli
