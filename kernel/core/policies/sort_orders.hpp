// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sort orders: the policies by which a partition orders its nodes, queues and applications.
#pragma once

#include "policies/bound_sort_policy.hpp"
#include "policies/node_sorting.hpp"

namespace tenon::internal {

struct sort_orders {
  node_sortings nodes;
  queue_orders queues = {};

  template <class F>
  void for_each_policy(F &&f) {
    nodes.for_each([&](node_sorting &by) { f(*by.policy); });
    queues.for_each(f);
  }
};

}  // namespace tenon::internal
