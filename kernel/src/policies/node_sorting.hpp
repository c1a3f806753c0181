// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node sorting: the nodes of a partition as one policy orders them, for all asks alike or, where it scores, for each
// class of asks. A partition has one of its own, and one for each policy that an application chose.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "policies/node_order.hpp"
#include "policies/sort_policy.hpp"

namespace tenon::internal {

struct node_sorting {
  // A policy that scores orders the nodes anew for each class and, where it counts allocations, application.
  struct score_order {
    std::vector<std::vector<int64_t>> counts;
    ask_facts facts;
    node_order order;
  };

  std::unique_ptr<sort_policy> policy;
  std::unique_ptr<node_order> order;
  // By class and, where the score counts allocations of the application, its submission, else 0.
  std::map<std::pair<uint32_t, uint64_t>, std::unique_ptr<score_order>> scored;

  // With the policy as it is now, from nothing.
  void start(node_table &nodes);
  template <class F>
  void for_each_order(F &&f) {
    f(*order);
    for (auto &[of, one] : scored) f(one->order);
  }
};

}  // namespace tenon::internal
