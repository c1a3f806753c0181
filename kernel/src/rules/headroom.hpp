// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Headroom: what is full where an ask would have to be counted, whatever nodes have free.
#pragma once

#include "model/ask_class.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "rules/limits.hpp"

namespace tenon::internal {

struct headroom_access {
  const internal::limits &limits;
  const node_table &nodes;
};

class headroom : headroom_access {
 public:
  explicit headroom(const headroom_access &all) : headroom_access(all) {}

  // The limit of its user or group that is too small for one more; null: none is.
  [[nodiscard]] usage_node *full_limit(application &app, const ask_class &c, type_index &type) const {
    return limits.blocking(app, c, type);
  }
  // The first queue on the path, the leaf first, and type whose headroom is below the need; null: it fits. The root has
  // no headroom: an ask that fits on a node is within what the nodes have free together.
  [[nodiscard]] static queue *full_queue(queue &leaf, const ask_class &c, type_index &type) {
    for (queue *q = &leaf; q->parent != nullptr; q = q->parent) {
      for (const class_amount &p : c.positive) {
        if (q->max.has(p.type) && p.amount > sub_saturating(q->max[p.type], q->allocated[p.type])) {
          type = p.type;
          return q;
        }
      }
    }
    return nullptr;
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
