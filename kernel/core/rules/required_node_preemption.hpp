// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemption on a node that an ask requires: who gives way to it there.
#pragma once

#include <cstdint>
#include <map>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct required_node_preemption_access {
  const partition_config &config;
  const class_table &classes;
  const node_table &nodes;
  const internal::device_records &device_records;
  const resources &total;  // of all nodes
  const internal::reservations &reservations;
  const placement_checks &checks;
  internal::claims &claims;
  const fact_teller &facts;
};

class required_node_preemption : required_node_preemption_access {
 public:
  explicit required_node_preemption(const required_node_preemption_access &all)
      : required_node_preemption_access(all) {}

  // The ask has no room on its node. Who gives way is decided after all that needs no victims: asks that come together
  // have reserved the node by then.
  void line_up(const reservation &r);
  [[nodiscard]] bool has_work() const { return !waiting_.empty(); }
  bool decide();

 private:
  // False: nobody gives way, or those who would are not enough.
  bool try_on(node &n, ask &a);

  std::map<uint64_t, uint32_t> waiting_;  // reservations: sequence and index
};

}  // namespace tenon::internal
