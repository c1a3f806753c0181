// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

namespace tenon::internal {

partition::partition(core &c, uint32_t number, std::string rm_id, std::string external_name, int64_t check_deadline)
    : partition_model(std::move(rm_id), std::move(external_name), c.now_ms, c.options.max_resource_types),
      shared(c),
      id(number),
      check_deadline_ms(check_deadline) {}

partition::~partition() = default;

void partition::inspect() {
  if (paused || state == object_state::stopped) return;
  if (shared.answers.are_told()) faults.fail_as_told();
  fair_maxima.follow_total();
  inspector.inspect();
}

void partition::flush() {
  applications.flush();
  asks.flush();
  allocations.flush();
  replacements.flush();
  held_devices_of.flush();
  groups.flush();
  reservations.flush();
  waits.flush();
  nodes.flush();
  gone_queues.clear();
  faults.flush();
}

}  // namespace tenon::internal
