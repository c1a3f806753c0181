// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "partition.hpp"

#include "tenon/kernel/partition_name.hpp"

namespace tenon::internal {

partition::partition(core &c, uint32_t number, std::string rm_id, std::string external_name, int64_t check_deadline)
    : shared(c),
      id(number),
      rm(std::move(rm_id)),
      name(full_partition_name(rm, external_name)),
      plain_name(std::move(external_name)),
      check_deadline_ms(check_deadline),
      since_ms(c.now_ms),
      types(c.options.max_resource_types) {}

partition::~partition() = default;

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
