// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The cycle: one decision at a time. Those who have a reservation go first (pass A), then real asks take the place of
// placeholders (pass B), then comes whoever is first in the order of the queues (pass C). A look that fails parks what
// failed, so every turn of the loop either decides or leaves less to look at.
#pragma once

#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct partition;

class cycle {
 public:
  explicit cycle(partition &p) : p_(p) {}

  [[nodiscard]] bool has_work() const;
  // Makes one decision, or gives false when there is none to make now.
  bool decide();
  // The first node that holds the ask and may be used for it. Its own reserved one is open to it.
  node *search(ask_class &c, ask &a, bool &refused);

 private:
  bool decide_ask();
  bool try_unit(leaf_class &u);

  partition &p_;
};

}  // namespace tenon::internal
