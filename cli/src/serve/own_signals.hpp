// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Who sent SIGINT or SIGTERM: a process that sends them to itself has a module that does so.
#pragma once

namespace tenon::cli {

// Once the handlers of those signals are there, which go on to be called. A signal of this process ends it with a
// record of the call that sent it, where there is one.
void look_at_senders();

// Unblocks SIGHUP, SIGINT and SIGTERM on this thread, and so on those that it starts. A supervisor starts the daemon
// with them blocked.
void accept_own_signals();

}  // namespace tenon::cli
