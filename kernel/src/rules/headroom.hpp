// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Headroom: what is full where an ask would have to be counted, whatever nodes have free.
#pragma once

#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "rules/limits.hpp"

namespace tenon::internal {

struct headroom_access {
  const internal::limits &limits;
  const resources &total;  // of all nodes, the root's max
};

class headroom : headroom_access {
 public:
  explicit headroom(const headroom_access &all) : headroom_access(all) {}

  // The limit of its user or group that is too small for one more; null: none is.
  [[nodiscard]] usage_node *full_limit(application &app, const ask_class &c, type_index &type) const {
    return limits.blocking(app, c, type);
  }
  // The first queue on the path, the leaf first, and type whose headroom is below the need; null: it fits.
  [[nodiscard]] queue *full_queue(queue &leaf, const ask_class &c, type_index &type) const {
    queue *q = &leaf;
    for (; q->parent != nullptr; q = q->parent) {
      for (const class_amount &p : c.positive) {
        if (q->max.has(p.type) && p.amount > sub_saturating(q->max[p.type], q->allocated[p.type])) {
          type = p.type;
          return q;
        }
      }
    }
    if (c.requires_a_node()) return nullptr;  // what others have free is of no use to it, nor what they lack
    for (const class_amount &p : c.positive) {
      if (p.amount > sub_saturating(total[p.type], q->allocated[p.type])) {
        type = p.type;
        return q;
      }
    }
    return nullptr;
  }
};

}  // namespace tenon::internal
