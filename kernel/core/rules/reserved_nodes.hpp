// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reserved nodes: who else may use a node that is kept for an ask.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

using end_times = boost::unordered_flat_map<uint64_t, int64_t>;  // by sequence of the allocation

struct reserved_nodes_access {
  const core &shared;
  const partition_config &config;
  const class_table &classes;
  const node_table &nodes;
  const internal::device_records &device_records;
  const device_holdings &devices;
  const end_times &ends_at;  // when allocations with an execution timeout end
};

class reserved_nodes : reserved_nodes_access {
 public:
  explicit reserved_nodes(const reserved_nodes_access &all) : reserved_nodes_access(all) {}

  // Where reserved nodes may be backfilled, searches look at them.
  [[nodiscard]] bool keeps_others_out(const node &n) const {
    return !n.reservations->empty() && !config.tuning.reservation_backfill && !goes_by_order(n);
  }
  // Asks that came later than the reserved one and have a higher priority may use the node.
  [[nodiscard]] static bool goes_by_order(const node &n) {
    return !n.reservations->empty() && opens_to_higher(*n.reservations->front());
  }
  [[nodiscard]] static bool opens_to_higher(const reservation &r) {
    return r.by_order && r.way != way_to_room::as_it_comes;
  }
  [[nodiscard]] bool may_use(const ask &a, const ask_class &c, const node &n) const;

 private:
  [[nodiscard]] bool ends_in_time(const ask_class &c, const node &n, const ask_class &reserved) const;
};

}  // namespace tenon::internal
