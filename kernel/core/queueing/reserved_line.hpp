// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reserved line: the asks for which a node is kept (ask_line::reserved), and which of them pass A of the cycle tries
// next. They stand in units as others do, one for each class and leaf. An ask that may not run is reserved no longer:
// the line names those of which that is to be looked at, because headroom of theirs shrank.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct reserved_line_access {
  const partition_config &config;
  const node_table &nodes;
  class_table &classes;
  ask_alarms &alarms;
};

class reserved_line : reserved_line_access {
 public:
  explicit reserved_line(const reserved_line_access &all) : reserved_line_access(all) {}

  [[nodiscard]] int64_t reserves_at(const ask &a) const;  // it may reserve a node from then on; INT64_MAX: never
  // For the gang of which it is the first placeholder.
  [[nodiscard]] int64_t reserves_for_gang_at(const ask &a) const;
  // So many nodes may be reserved for one application. Those that asks require do not count.
  [[nodiscard]] size_t most_nodes() const;
  [[nodiscard]] size_t reserved_nodes_of(const application &app) const;
  [[nodiscard]] bool has_most_nodes(const application &app) const { return reserved_nodes_of(app) >= most_nodes(); }
  [[nodiscard]] bool empty() const { return heap_.empty(); }  // nothing can be done now
  [[nodiscard]] bool has_doubtful() const { return !doubtful_.empty(); }
  reservation &take_doubtful() { return *doubtful_.extract(doubtful_.begin()).mapped(); }  // the oldest
  [[nodiscard]] reservation &first() const { return *heap_.top()->first; }

  void join(ask &a);
  void leave(ask &a);
  // Of one for a gang, which no pass looks at: only whether its ask may run still.
  void follow(reservation &r);
  void forget(reservation &r);

  // -- What decides about their turn may be other than it was. --
  void refresh(reservation &r);
  void refresh(reserved_unit &u);
  void look_again(node &n);        // there may be room on it
  void look_for_victims(node &n);  // there may be more to preempt for those who require it
  void retry(reservation &r);      // time lets it be placed where it was refused
  void wake_refused();             // something changed for the resource manager
  void wake_full();                // some queue has more headroom

  // -- Their asks may be such as may not run now. --
  void doubt(reservation &r);
  void doubt(const application &app);
  // It has less headroom.
  void doubt(const queue &q) {
    if (!q.reserved_below.empty()) doubt_those_beyond(q);
  }
  void doubt(const usage_node &u) {
    if (!u.reserved.empty()) doubt_those_beyond(u);
  }
  void doubt_all(const reserved_needs &all);
  void attached(const application &app);  // its user and group count anew

  // -- It was tried, and cannot be placed now. --
  void wait_for_headroom(reservation &r);
  void tried(reservation &r, bool refused);  // `refused`: by the resource manager, on every node that fits

 private:
  reserved_unit &unit_of(queue &leaf, uint32_t class_id);
  static void stand(reservation &r, bool in);
  void look_again(reservation &r);
  void doubt_those_beyond(const queue &q);
  void doubt_those_beyond(const usage_node &u);
  void count(reservation &r, bool in);
  void count_for_limits(reservation &r, bool in);

  reserved_heap heap_;                  // units with something to try
  std::vector<reservation *> refused_;  // by the resource manager
  std::vector<reservation *> full_;     // they wait for headroom of their queues
  std::map<uint64_t, reservation *> doubtful_;
};

}  // namespace tenon::internal
