// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask alarms: what time alone lets an ask do. An ask in a parked unit has an alarm for the next time at which it may do
// what it could not before. Then it goes on to a unit of its own kind, which is not parked for that. Asks of a unit
// that is not parked have no alarm: most of them are placed before they would need one.
#pragma once

#include <cstdint>

#include "core.hpp"
#include "forward.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct ask_alarms_access {
  // Rules say from when on an ask may do something, the lines where it goes on to.
  partition_clock clock;
  slab<ask> &asks;
  const preemption_times &preempts;
  reserved_line &reserved;
  ask_lines &lines;
};

class ask_alarms : ask_alarms_access {
 public:
  explicit ask_alarms(const ask_alarms_access &all) : ask_alarms_access(all) {}

  [[nodiscard]] unit_kind kind_for(const ask &a) const;  // what it may do now
  void join(ask &a, leaf_class &u);
  void leave(ask &a);  // its unit
  void set(ask &a);
  void set_where_none(ask &a) {
    if (a.alarm == 0) set(a);
  }
  static void stop(ask &a) { a.alarm = 0; }
  [[nodiscard]] static bool is_void(const ask &a, uint64_t epoch) { return !a.live || a.alarm != epoch; }
  void set_all(leaf_class &u);  // it was parked
  void rang(ask &a);
  void chance_changed(ask &a);  // it may do something at another time than was known
  void reconsider(ask &a);      // delays are others now

 private:
  static bool is_untimed(const ask &a);
  [[nodiscard]] int64_t next_chance(const ask &a) const;
};

}  // namespace tenon::internal
