// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Generated loads: the same options give the same load, on every machine.
#pragma once

#include <cstdint>

#include "load/load.hpp"

namespace tenon::cli {

// The defaults have the size and mix of the openb trace: GPU nodes of a few shapes, and pods of which most
// ask for one whole GPU.
struct generate_options {
  uint64_t seed = 1;
  uint32_t nodes = 1500;
  uint32_t pods = 8000;
  uint32_t shapes = 150;  // distinct pod shapes; few of them are most of the pods
  uint32_t queues = 4;    // leaf queues, the first the busiest
  uint32_t users = 20;
  uint32_t pods_per_application = 1;  // at most
  double interarrival_ms = 20;        // mean between two pods
  double duration_s = 540;            // median; the longest tenth runs at least 3.6 times as long
  double size = 1;                    // scales what pods ask for
};

[[nodiscard]] load generate(const generate_options &options);

}  // namespace tenon::cli
