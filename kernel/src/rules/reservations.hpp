// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reservations: nodes kept for asks that wait. Made and ended, who else may use such a node, and pass A of the cycle,
// in which those who have a reservation go first.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/slab.hpp"
#include "base/timers.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "ready/rule_ports.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

struct partition;

class reservations final : public reserved_line {
 public:
  explicit reservations(partition &p) : p_(p) {}

  [[nodiscard]] const slab<reservation, small_page_bytes> &all() const { return all_; }
  [[nodiscard]] int64_t matures_at(const ask &a) const override;
  [[nodiscard]] bool keeps_others_out(const node &n) const;
  [[nodiscard]] bool may_use(const ask &a, const ask_class &c, const node &n) const;

  // -- Pass A, and what the cycle does with asks that cannot be placed now. --
  [[nodiscard]] bool has_work() const { return !ready_.empty(); }
  bool decide();
  bool try_to_reserve(ask &a, ask_class &c, bool &refused);
  bool try_required(ask &a, ask_class &c, bool &refused);

  // -- Made and ended. --
  void reserve(ask &a, node &n);
  void end(reservation &r, const reason &why);
  void unreserve(reservation &r, const reason &why);  // and the ask lines up again
  node *use(ask &a);                                  // the node that is to be reopened, or null
  void drop(ask &a);
  void drop_all(application &app);
  void reopen(node &n);
  void check(node &n);  // after a command about it
  void is_due(const timer &t);
  [[nodiscard]] bool is_void(const timer &t) const;

  // -- The line of reserved asks. --
  void join(ask &a) override;
  void leave(ask &a) override;
  void refresh(reservation &r) override;  // its place in its unit
  void refresh(reserved_unit &u) override;
  void refresh(application &app) override;
  void look_again(node &n) override;
  void look_for_victims(node &n);  // there may be more to preempt for those who require it
  void wake_refused() override;

  // As another one has them: for a copy of the partition.
  void number_from(uint64_t next) { next_ = next; }
  [[nodiscard]] uint64_t next_number() const { return next_; }
  void flush() { all_.flush(); }

 private:
  [[nodiscard]] bool ends_in_time(const ask_class &c, const node &n, const ask_class &reserved) const;
  reserved_unit &unit_of(queue &leaf, uint32_t class_id);
  void look_again(reservation &r);
  bool try_one(reservation &r);
  bool place(reservation &r, bool &refused);
  node *node_to_reserve(ask &a, ask_class &c, bool &refused);

  partition &p_;
  slab<reservation, small_page_bytes> all_;
  uint64_t next_ = 1;
  reserved_heap ready_;                 // units that pass A looks at
  std::vector<reservation *> refused_;  // by the resource manager
};

}  // namespace tenon::internal
