// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the processes of a module use.
#pragma once

#include <cstdint>

namespace tenon::host {

struct process_usage {
  uint64_t processes = 0, threads = 0;
  uint64_t memory_bytes = 0;  // that they have in memory, without what they share with the scheduler
  uint64_t processor_ns = 0;  // of those that ended as well
  uint64_t waited_ns = 0;     // processor time that the scheduler spent looking for their answers
};

}  // namespace tenon::host
