// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Who sent SIGINT or SIGTERM: a process that sends them to itself has a module that does so.
#pragma once

#include <string>

namespace tenon::cli {

// Once the handlers of those signals are there, which go on to be called. A signal of this process leaves a record of
// the call that sent it, where there is one.
void look_at_senders();

// Unblocks SIGHUP, SIGINT and SIGTERM on this thread, and so on those that it starts. A supervisor starts the daemon
// with them blocked.
void accept_own_signals();

// The handlers of SIGHUP, SIGINT and SIGTERM as they were then, where somebody has put others in their place: else
// nothing would stop the daemon. Gives the names of those signals; empty: none.
[[nodiscard]] std::string put_back_handlers();

// Whether one of this process came, and whether there is a record of it.
enum class own_signal { none, recorded, without_record };
[[nodiscard]] own_signal own_signal_that_came();

}  // namespace tenon::cli
