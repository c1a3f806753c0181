// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queue priorities: each queue has the highest priority of what asks below it, its offset applied.
#pragma once

#include <cstdint>

#include "forward.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class queue_priorities {
 public:
  explicit queue_priorities(sort_keys &keys) : keys_(keys) {}

  // One of its applications or children has another priority; INT32_MIN: none.
  static void count(queue &in, int32_t before, int32_t now);
  void refresh(queue &q);      // and those above it
  void refresh_all(queue &q);  // and those below it, which are first

 private:
  sort_keys &keys_;
};

}  // namespace tenon::internal
