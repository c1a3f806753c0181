// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "calls/signal_stack.hpp"

#include <signal.h>

#include <atomic>

namespace tenon::host {
namespace {

constexpr size_t stack_bytes = size_t{96} << 10;
std::atomic<bool> is_in_use{false};

}  // namespace

void signal_stack::have_threads_use_one() { is_in_use = true; }

signal_stack::~signal_stack() {
  if (memory_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
}

void signal_stack::use() {
  if (memory_ != nullptr || !is_in_use) return;
  stack_t before{};
  if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
  memory_ = std::make_unique<char[]>(stack_bytes);
  stack_t mine{};
  mine.ss_sp = memory_.get();
  mine.ss_size = stack_bytes;
  if (::sigaltstack(&mine, nullptr) != 0) memory_.reset();
}

}  // namespace tenon::host
