// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reserved line: the asks for which a node is kept (ask_line::reserved), and which of them pass A of the cycle tries
// next. They stand in units as others do, one for each class and leaf, which are parked on a queue's headroom.
#pragma once

#include <cstdint>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct reserved_line_access {
  const partition_config &config;
  class_table &classes;
  ask_alarms &alarms;
};

class reserved_line : reserved_line_access {
 public:
  explicit reserved_line(const reserved_line_access &all) : reserved_line_access(all) {}

  [[nodiscard]] int64_t reserves_at(const ask &a) const;      // it may reserve a node from then on; INT64_MAX: never
  [[nodiscard]] bool empty() const { return heap_.empty(); }  // nothing can be done now
  [[nodiscard]] reservation &first() const { return *heap_.top()->first; }

  void join(ask &a);
  void leave(ask &a);

  // -- What decides about their turn may be other than it was. --
  void refresh(reservation &r);
  void refresh(reserved_unit &u);
  void refresh(application &app);
  void look_again(node &n);        // there may be room on it
  void look_for_victims(node &n);  // there may be more to preempt for those who require it
  void wake_refused();             // something changed for the resource manager

  // -- It was tried, and cannot be placed now. --
  void park_on_limit(reservation &r, usage_node &full, type_index t);
  void tried(reservation &r, bool refused);  // `refused`: by the resource manager, on every node that fits

 private:
  reserved_unit &unit_of(queue &leaf, uint32_t class_id);
  static void stand(reservation &r, bool in);
  void look_again(reservation &r);

  reserved_heap heap_;                  // units with something to try
  std::vector<reservation *> refused_;  // by the resource manager
};

}  // namespace tenon::internal
