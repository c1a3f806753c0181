// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Headroom: what is full where an ask would have to be counted, whatever nodes have free.
#pragma once

#include "model/ask_class.hpp"
#include "model/may_run.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "model/queue_headroom.hpp"

namespace tenon::internal {

struct headroom_access {
  const class_table &classes;
  const node_table &nodes;
};

class headroom : headroom_access {
 public:
  explicit headroom(const headroom_access &all) : headroom_access(all) {}

  // The first queue on the path, the leaf first, and type whose headroom is below the need; null: it fits. What is kept
  // there for others does not count, nor what the victims of the ask itself have. The root has no headroom: an ask that
  // fits on a node is within what the nodes have free together.
  [[nodiscard]] static queue *full_queue(const ask &a, const ask_class &c, type_index &type) {
    for (queue *q = a.owner->home; q->parent != nullptr; q = q->parent) {
      for (const class_amount &p : c.positive) {
        if (has_room(*q, a, p)) continue;
        type = p.type;
        return q;
      }
    }
    return nullptr;
  }
  [[nodiscard]] static bool has_room(const queue &q, const ask &a, const class_amount &p) {
    return p.amount <= headroom_for(q, a, p.type);
  }
  // True if the ask is within the headroom of its user, its group and its queues, or is once its victims are gone.
  [[nodiscard]] bool may_come_to_fit(const ask &a, const ask_class &c) const {
    type_index type = no_type;
    if (!reached_amount(*a.owner, c).is_none()) return false;
    const ask_wait *wait = claimant_of(a).wait;
    if (wait == nullptr || wait->victims->empty()) return full_queue(a, c, type) == nullptr;
    for (const queue *q = a.owner->home; q->parent != nullptr; q = q->parent) {
      for (const class_amount &p : c.positive) {
        int64_t left = q->allocated[p.type];
        for (const allocation *x : wait->victims) {
          if (lies_below(*x->owner->home, *q)) left = sub_saturating(left, classes[x->class_id].need[p.type]);
        }
        if (q->max.has(p.type) && p.amount > sub_saturating(q->max[p.type], left)) return false;
      }
    }
    return true;
  }
  // True if all nodes together have less free than the ask needs, of `type`.
  [[nodiscard]] bool is_cluster_full(const ask_class &c, type_index &type) const {
    for (const class_amount &p : c.positive) {
      type = p.type;
      if (p.amount > nodes.free_together(type)) return true;
    }
    return false;
  }
};

}  // namespace tenon::internal
