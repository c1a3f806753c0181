// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Where a handler of fatal signals runs when the thread's own stack is full.
#pragma once

#include <cstddef>
#include <memory>

namespace tenon::host {

// Of the thread that makes it, which has none of its own yet. Nothing where fatal signals are not handled.
class signal_stack {
 public:
  signal_stack() = default;
  ~signal_stack();
  signal_stack(const signal_stack &) = delete;
  signal_stack &operator=(const signal_stack &) = delete;

  // From now on; before that use() does nothing.
  static void have_threads_use_one();
  void use();

 private:
  std::unique_ptr<char[]> memory_;
};

}  // namespace tenon::host
