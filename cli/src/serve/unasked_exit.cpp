// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/unasked_exit.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "run/exit_code.hpp"
#include "tenon/host/unasked_end.hpp"

namespace tenon::cli {
namespace {

std::atomic<unasked_exit_handler *> handler_while_serving{nullptr};

}  // namespace

void notice_exit() {
  const auto look = [] { ends_process("exit() was called"); };
  std::atexit(look);
  std::at_quick_exit(look);
}

void on_unasked_exit(unasked_exit_handler *handler) { handler_while_serving = handler; }

void ends_process(std::string_view how) {
  if (!host::is_end_unknown()) return;
  if (unasked_exit_handler *const handler = handler_while_serving.exchange(nullptr)) (*handler)(how);
  if (!host::record_unasked_end(how, host::unasked_by::this_thread)) return;
  ::_exit(static_cast<int>(exit_code::unasked));
}

}  // namespace tenon::cli
