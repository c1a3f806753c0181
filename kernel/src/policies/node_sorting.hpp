// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node sorting: the nodes of a partition as one policy orders them, for all asks alike or, where it scores, for each
// class of asks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
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

// Those of a partition: its own, as configured, and one for each policy that an application chose.
struct node_sortings {
  node_table &nodes;
  node_sorting own = {};
  std::map<std::string, node_sorting> chosen = {};  // by policy, null where it is not to be had

  // With the policy as it is now, from nothing.
  void start(node_sorting &by) { by.start(nodes); }
  [[nodiscard]] node_sorting &of(const application &app) { return app.nodes_by != nullptr ? *app.nodes_by : own; }
  template <class F>
  void for_each(F &&f) {
    f(own);
    for (auto &[policy, one] : chosen) {
      if (one.policy != nullptr) f(one);
    }
  }
  template <class F>
  void for_each_order(F &&f) {
    for_each([&](node_sorting &by) { by.for_each_order(f); });
  }
};

}  // namespace tenon::internal
