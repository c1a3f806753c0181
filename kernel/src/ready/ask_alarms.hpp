// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask alarms: what time alone lets an ask do. An ask in a parked unit has an alarm for the next time at which it may do
// what it could not before; when it rings the ask goes on to a unit of its own kind, which is not parked for that. Asks
// of a unit that is not parked have no alarm: most of them are placed before they would need one.
#pragma once

#include <cstdint>

#include "model/objects.hpp"

namespace tenon::internal {

struct partition;

class ask_alarms {
 public:
  explicit ask_alarms(partition &p) : p_(p) {}

  [[nodiscard]] unit_kind kind_for(const ask &a) const;  // what it may do now
  void join(ask &a, leaf_class &u);
  void leave(ask &a);  // its unit
  void set(ask &a);
  void set_all(leaf_class &u);  // it was parked
  void rang(ask &a);
  void chance_changed(ask &a);  // it may do something at another time than was known
  void reconsider(ask &a);      // delays are others now

 private:
  static bool is_untimed(const ask &a);
  [[nodiscard]] int64_t next_chance(const ask &a) const;

  partition &p_;
};

}  // namespace tenon::internal
