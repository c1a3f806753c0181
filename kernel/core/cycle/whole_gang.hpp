// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whole gang: the placeholders of a gang that begins whole are placed together, or none of them is.
#pragma once

#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"
#include "rules/node_search.hpp"

namespace tenon::internal {

struct whole_gang_access {
  class_table &classes;
  node_table &nodes;
  node_search &search;
  const node_fitness &fitness;
  placement_checks &checks;
  ask_lines &lines;
  ready_index &ready;
  kept_orders &orders;
  internal::placer &placer;
  tried_room &room;
  internal::gang_room &gang_room;
};

class whole_gang : whole_gang_access {
 public:
  explicit whole_gang(const whole_gang_access &all) : whole_gang_access(all) {}

  // Places all pending placeholders of the application, if each finds a place beside those before it. Else room may be
  // made for all of them. Else they wait until there is more room, and false is returned.
  bool begin(application &app);
  // A gang that waits for nodes is looked at again once it has too little headroom: it may be the first of its leaf
  // then.
  void watch(const application &app);
  // Its pending placeholders in their order.
  static std::vector<ask *> pending_of(const application &app);
  // Of these, tried one after the other as begin() does, but for limits: those of which one finds no place beside those
  // before. Nothing is placed.
  std::vector<const ask *> without_place(const std::vector<ask *> &asks);

 private:
  struct place {
    ask *of;
    node *where;
    held_devices chosen;
  };
  // True if one more of the ask finds a place. Its room is taken then.
  bool try_one(ask &a, ask_class &c);
  found_node find(ask &a, ask_class &c);
  bool is_full(const ask &a, const ask_class &c, const resources &taken) const;
  // True if it would find room where asks of other shapes, which were tried before it, took it.
  [[nodiscard]] bool fits_without_them(const ask_class &c) const;
  [[nodiscard]] bool may_fit(const application &app, const ask &front) const;
  [[nodiscard]] queue *lacking_queue(const application &app, const ask_class &all, type_index &type) const;
  // `tried`: they preempt at another time from now on.
  void wait(application &app, const std::vector<ask *> &asks, const std::vector<ask *> &tried, bool fits_elsewhere);

  std::vector<place> places_;
};

}  // namespace tenon::internal
