// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node sorting: the nodes of a partition as one policy orders them, for all asks alike or, where it scores, for each
// class of asks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/ask_shapes.hpp"
#include "policies/bound_sort_policy.hpp"
#include "policies/node_order.hpp"
#include "policies/node_states.hpp"
#include "policies/scored_order.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

// What an order of nodes is configured with.
[[nodiscard]] std::string node_sort_json(const node_sort_config &c);

class node_sorting {
 public:
  // A policy that scores orders the nodes anew for each class and, where it counts allocations, application.
  struct score_order {
    std::vector<std::vector<int64_t>> counts;
    ask_facts facts;
    scored_order order;
    uint64_t wanted = 0;  // when it was last

    score_order(node_table &nodes, node_sorting &by, const ask_class &c, const ask_facts &of,
                scored_order::contents which);
  };

  // With the policy as it is now, from nothing.
  void start(node_table &nodes);

  // As node_order and node_states have them, whichever the policy goes by.
  void touch(uint32_t slot) { states_ != nullptr ? states_->touch(slot) : order->touch(slot); }
  void opened(uint32_t slot) { states_ != nullptr ? states_->touch(slot) : order->opened(slot); }
  void removed(uint32_t slot) { states_ != nullptr ? states_->removed(slot) : order->removed(slot); }
  void touch_all() { states_ != nullptr ? states_->touch_all() : order->touch_all(); }
  // The policy would say something else of the same nodes now.
  void keys_changed() { states_ != nullptr ? states_->scores_changed() : order->touch_all(); }

  // Of a policy that scores. So many orders are kept, and not more than fit into some memory; past that the one that
  // was wanted longest ago goes and is made anew where it is wanted again: classes and applications come and go for
  // years.
  score_order &scored_for(node_table &nodes, const ask_class &c, const application &app, scored_order::contents which);
  node_states &states() { return *states_; }

  std::unique_ptr<sort_policy> policy;
  std::unique_ptr<node_order> order;  // by its keys

 private:
  // The class; where the score counts allocations of the application, its submission, else 0.
  struct scored_as {
    uint32_t class_id;
    scored_order::contents which;
    uint64_t submission;
    friend auto operator<=>(const scored_as &, const scored_as &) = default;
  };
  static constexpr size_t orders_of_classes = 1'024, orders_of_applications = 64, fewest_orders = 8;
  static constexpr size_t memory = size_t{1} << 30;  // bytes, of all orders

  // With the nodes that there are.
  [[nodiscard]] size_t most_orders() const;
  void forget_oldest();

  std::unique_ptr<node_states> states_;  // null: the policy does not score
  std::map<scored_as, std::unique_ptr<score_order>> scored_;
  uint64_t wanted_ = 0;  // orders so far
};

// How a canary stands that a partition is configured with.
struct canary_standing {
  bool in_place = false;
  std::string why;       // it went back; empty: it did not
  int64_t since_ms = 0;  // it is so
};

// Those of a partition: its own, as configured, that of its canary, and one for each policy that an application chose.
struct node_sortings {
  node_table &nodes;
  ask_shapes &shapes;
  node_sorting own = {};
  std::unique_ptr<node_sorting> canary = {};  // null: there is none, or it went back
  canary_standing of_canary = {};
  std::map<std::string, node_sorting> chosen = {};  // by policy, null where it is not to be had

  // With the policy as it is now, from nothing.
  void start(node_sorting &by);
  // Whoever looks ahead takes it into account.
  void ask_came(const resources &need, texts tags, int64_t allocations) {
    if (shapes.followed() && shapes.count(need, tags, allocations)) begin_generation();
  }
  [[nodiscard]] node_sorting &of(const application &app) { return app.nodes_by != nullptr ? *app.nodes_by : own; }
  template <class F>
  void for_each(F &&f) {
    f(own);
    if (canary != nullptr) f(*canary);
    for (auto &[policy, one] : chosen) {
      if (one.policy != nullptr) f(one);
    }
  }
  void touch(uint32_t slot) {
    for_each([slot](node_sorting &by) { by.touch(slot); });
  }
  void opened(uint32_t slot) {
    for_each([slot](node_sorting &by) { by.opened(slot); });
  }
  void removed(uint32_t slot) {
    for_each([slot](node_sorting &by) { by.removed(slot); });
  }
  void touch_all() {
    for_each([](node_sorting &by) { by.touch_all(); });
  }

 private:
  void begin_generation();
};

}  // namespace tenon::internal
