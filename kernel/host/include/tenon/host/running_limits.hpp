// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How a running scheduler behaves and what it bounds: keys of the deployment file, docs/running.md has them all.
#pragma once

#include <cstdint>

namespace tenon::host {

struct running_limits {
  // cycle
  uint32_t max_decisions = 1'000;  // of one partition in one step
  int64_t idle_ms = 100;           // the scheduler looks for work at least so often
  int64_t inspect_ms = 1'000;      // how often RMs that want them hear container scheduling states; 0: never
  bool manual = false;             // of a daemon: nothing moves but by steps
  // mailbox, for each RM
  uint64_t mailbox_requests = 65'536;  // accepted and not yet applied; beyond it RETRY
  uint64_t mailbox_bytes = uint64_t{64} << 20;
  // outbox, for each RM
  uint64_t outbox_high = 20'000;  // answers not acknowledged: its partitions are not stepped, its requests get RETRY
  uint64_t outbox_hard = 50'000;  // it is Paused
  // rm
  uint32_t max_rms = 64;
  uint64_t pause_queue = 100'000;      // answers that wait for a Paused RM; beyond it the RM is Stopped ...
  int64_t unread_timeout_ms = 10'000;  // ... when it took none of them for so long
  int64_t pause_timeout_ms = 5 * 60'000;
  int64_t check_deadline_ms = 1'000;
  uint32_t check_window = 64;  // checks of one RM that are open at once
  // What one RM may keep (tenon/kernel/kept.hpp); a request that would make it more is refused.
  uint64_t max_applications = 500'000, max_asks = 2'000'000, max_nodes = 200'000;
  uint64_t max_bytes = uint64_t{2} << 30;
  // requests
  uint64_t max_text = 65'536;     // bytes of one text of a request
  uint64_t max_name = 1'024;      // bytes of an id
  uint64_t max_config = 4 << 20;  // bytes of a configuration
  int64_t drain_ms = 5'000;       // how long answers may take to go out when the scheduler stops
};

}  // namespace tenon::host
