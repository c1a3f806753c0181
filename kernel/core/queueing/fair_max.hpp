// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Fair max: what a queue may have at most as orders of queues see it: the root's max, each configured max on the path
// written over it. The root's changes with every node, so it is computed when somebody is about to look.
#pragma once

#include <memory>

#include "forward.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct fair_max_access {
  const std::unique_ptr<queue> &root;
  const resources &total;  // of all nodes
  sort_keys &keys;
};

class fair_max : fair_max_access {
 public:
  explicit fair_max(const fair_max_access &all) : fair_max_access(all) {}

  void total_changed() { stale_ = true; }
  void follow_total() {
    if (!stale_) return;
    stale_ = false;
    refresh(*root);
  }
  void refresh(queue &q);  // and those below it

  // As another one has it: for a copy of the partition.
  void copy(const fair_max &from) { stale_ = from.stale_; }

 private:
  bool stale_ = false;
};

}  // namespace tenon::internal
