// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The fields of a partition's durations and switches: a part of journal/fields.hpp, which includes this file.
#pragma once

#include "journal/command_fields.hpp"

namespace tenon::journal {

// Durations are left out where they are zero, not where they are what queues.yaml has without them: that may change.
template <class IO>
void fields(IO &io, ref<IO, partition_tuning> f) {
  io(1, "reservation_delay_ms", f.reservation_delay_ms);
  io(2, "reservation_wait_ms", f.reservation_wait_ms);
  io(3, "reservation_enabled", f.reservation_enabled);
  io(4, "reservation_backfill", f.reservation_backfill);
  io(5, "preemption_retry_ms", f.preemption_retry_ms);
  io(6, "starting_timeout_ms", f.starting_timeout_ms);
  io(7, "completing_timeout_ms", f.completing_timeout_ms);
  io(8, "terminated_timeout_ms", f.terminated_timeout_ms);
  io(9, "placeholder_timeout_ms", f.placeholder_timeout_ms);
  io(10, "queue_cleanup_ms", f.queue_cleanup_ms);
  io(11, "drain_timeout_ms", f.drain_timeout_ms);
  io(12, "release_confirm_timeout_ms", f.release_confirm_timeout_ms);
  io(13, "reservation_max_nodes", f.reservation_max_nodes);
  io(14, "start_retry_ms", f.start_retry_ms);
  io(15, "start_retry_max_ms", f.start_retry_max_ms);
  io(16, "preemption_max_steps", f.preemption_max_steps, partition_tuning{}.preemption_max_steps);
  io(17, "reservation_queue_delay_ms", f.reservation_queue_delay_ms);
}

}  // namespace tenon::journal
