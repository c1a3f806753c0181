// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Kept orders: leaves that keep the order of their asks (docs/decisions.md, section 7). While an ask waits first for
// headroom, units that it keeps back are parked on the headroom that it lacks. Whatever may make another one the first,
// or this one none, has all parked units of the leaf looked at again, in their order.
#pragma once

#include <cstdint>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

struct kept_orders_access {
  const core &shared;
  const partition_config &config;
  class_table &classes;
  ask_lines &lines;
  ready_index &ready;
  reserved_line &reserved;
};

class kept_orders : kept_orders_access {
 public:
  explicit kept_orders(const kept_orders_access &all) : kept_orders_access(all) {}

  // Nothing waits first anywhere.
  [[nodiscard]] bool empty() const { return ordered_.empty(); }

  // -- At the turn of a unit. --
  // False: nothing keeps it back in its leaf. Else it is parked, or others have to be looked at before.
  bool stands_behind(leaf_class &u);
  void park_on_headroom(leaf_class &u, queue &full, type_index t);  // it is beyond the headroom of its queues
  // The same of an ask that waits in whatever unit. True: others have to be looked at before it waits.
  bool look_before(const ask &a);
  void wait_first(const ask &a, const parked_unit &u);

  // -- What decides who is first, and whom that one keeps back. --
  void may_change(queue &leaf);               // the order of its applications, or which of them may run
  void gang_changed(const application &app);  // more of it is pending
  void headroom_fell(const queue &q);
  void place_taken(const queue &q);  // as many applications run as may
  void limit_rose(usage_node &u) {
    if (!u.first_asks_in.empty()) let_pass(u);
  }
  void forget(usage_node &u) {
    while (!u.first_asks_in.empty()) look_at_all(*u.first_asks_in.back());
  }

  // -- Units and gangs that are parked on headroom of a queue, and asks that wait for something else. --
  void parked(parked_unit &u);
  void unparked(parked_unit &u);
  void watch(leaf_class &u);  // once it has too little headroom
  void watch(ask &a);         // likewise; the resource manager refused it
  // The same for the first ask of a gang that waits for nodes, which needs so much together.
  void watch(ask &front, const std::vector<class_amount> &needs);
  void forget(leaf_class &u);
  void forget(const ask &a);

 private:
  [[nodiscard]] kept_order *order_of(queue &leaf) const;  // null: it keeps none
  void look_at_all(queue &leaf);
  void let_pass(usage_node &u);
  static uint64_t add_watcher(kept_order &s, const std::vector<class_amount> &needs, const headroom_watcher &w);
  static void remove_watcher(kept_order &s, const std::vector<class_amount> &needs, uint64_t number);
  [[nodiscard]] const headroom_watcher *watcher_beyond(const queue &leaf) const;
  bool wake_watchers(queue &leaf);
  void wake(headroom_watcher w);

  std::vector<queue *> ordered_;  // leaves in which something waits first for headroom
};

}  // namespace tenon::internal
