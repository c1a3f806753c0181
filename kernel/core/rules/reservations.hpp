// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reservations: nodes kept for asks that wait, made and ended. Who stands in line with one is known by
// queueing/reserved_line, who else may use such a node by rules/reserved_nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/slab.hpp"
#include "core.hpp"
#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

struct reservations_access {
  partition_clock clock;
  const partition_config &config;
  const class_table &classes;
  const reserved_nodes &access;
  ask_waits &waits;
  ask_lines &lines;
  internal::claims &claims;
  change_dispatcher &changes;
};

class reservations : reservations_access {
 public:
  explicit reservations(const reservations_access &all) : reservations_access(all) {}

  [[nodiscard]] const reservation_slab &all() const { return all_; }

  void reserve(ask &a, node &n, way_to_room way = way_to_room::as_it_comes);
  // One of several, for a gang that begins whole. All of them end together.
  void reserve_for_gang(ask &a, node &n, way_to_room way);
  void end_of_gang(application &app, const reason &why) { end_of_gang(app, nullptr, why); }
  [[nodiscard]] int64_t wait_ends_ms() const;  // of what begins to wait now
  // The same without its timer, which a copy has from the original.
  const reservation &keep(ask &a, node &n, way_to_room way, bool of_gang = false);
  void free_by_preemption(ask &a);  // the node that is reserved for it
  // Reserves the node as it was reserved before, where it still can be. What was freed for the ask is nobody else's.
  void take_up(ask &a, node &n, way_to_room way);
  // The ask stands nowhere then, but where it waits for placeholders, and the node is to be reopened.
  void end(reservation &r, const reason &why);
  void unreserve(reservation &r, const reason &why);  // and the ask lines up again
  node *use(ask &a);                                  // the node that is to be reopened, or null
  void drop(ask &a);
  void drop_all(application &app);
  // Another ask has the node. The one of the reservation may reserve again after the delay.
  void lose(reservation &r, const reason &why);
  // Ends the reservations of all asks that require no node, oldest first.
  void switch_off();
  // Ends those of gangs that are to begin whole no longer.
  void end_of_gangs_that_do_not_wait();
  // Of each application that has more reserved nodes than it may, ends the newest reservations that are too many. Those
  // for which preemption freed the node stay.
  void end_too_many(const reserved_line &line);
  // What asks below the queue need together for which nodes are reserved. Those that require their node are left out,
  // and those for which preemption freed it: for them the queue keeps that.
  [[nodiscard]] int64_t need_below(const queue &q, type_index type) const;
  void reopen(node &n);  // to those who may use it, now that it has a reservation less

  // -- Its timer. --
  void is_due(const timer &t);
  [[nodiscard]] bool is_void(const timer &t) const;

  // As another one has them: for a copy of the partition.
  void number_from(uint64_t next) { next_ = next; }
  [[nodiscard]] uint64_t next_number() const { return next_; }
  void flush() { all_.flush(); }

 private:
  void arm(const reservation &r, int64_t due_ms);
  void end_of_gang(application &app, const reservation *first, const reason &why);
  void look_again(const reservation &r);
  void lose(reservation &r, const reason &why, int64_t delay_ms);
  std::vector<reservation *> without_required_node();

  reservation_slab all_;
  uint64_t next_ = 1;
};

}  // namespace tenon::internal
