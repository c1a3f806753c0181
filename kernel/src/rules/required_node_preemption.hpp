// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemption on a node that an ask requires: who gives way to it there.
#pragma once

#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class claims;
class fact_teller;
class node_table;

class required_node_preemption {
 public:
  required_node_preemption(const partition_config &config, const class_table &classes, const node_table &nodes,
                           const device_records &records, internal::claims &claims, const fact_teller &facts)
      : config_(config), classes_(classes), nodes_(nodes), device_records_(records), claims_(claims), facts_(facts) {}

  // False: nobody gives way, or those who would are not enough.
  bool try_on(node &n, ask &a);

 private:
  const partition_config &config_;
  const class_table &classes_;
  const node_table &nodes_;
  const device_records &device_records_;
  internal::claims &claims_;
  const fact_teller &facts_;
};

}  // namespace tenon::internal
