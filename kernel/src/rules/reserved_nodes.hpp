// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reserved nodes: who else may use a node that is kept for an ask.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>

#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class device_holdings;
class node_table;
struct core;

using end_times = boost::unordered_flat_map<uint64_t, int64_t>;  // by sequence of the allocation

class reserved_nodes {
 public:
  // `ends_at`: when allocations with an execution timeout end.
  reserved_nodes(const core &shared, const partition_config &config, const class_table &classes,
                 const node_table &nodes, const device_records &records, const device_holdings &devices,
                 const end_times &ends_at)
      : shared_(shared),
        config_(config),
        classes_(classes),
        nodes_(nodes),
        device_records_(records),
        devices_(devices),
        ends_at_(ends_at) {}

  // Where reserved nodes may be backfilled, searches look at them.
  [[nodiscard]] bool keeps_others_out(const node &n) const {
    return !n.reservations.empty() && !config_.tuning.reservation_backfill;
  }
  [[nodiscard]] bool may_use(const ask &a, const ask_class &c, const node &n) const;

 private:
  [[nodiscard]] bool ends_in_time(const ask_class &c, const node &n, const ask_class &reserved) const;

  const core &shared_;
  const partition_config &config_;
  const class_table &classes_;
  const node_table &nodes_;
  const device_records &device_records_;
  const device_holdings &devices_;
  const end_times &ends_at_;
};

}  // namespace tenon::internal
