// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Replacements: real asks on their way into the place of a placeholder. One is begun when pass B found it, and finished
// when the resource manager says that the placeholder is gone.
#pragma once

#include <cstddef>

#include "base/slab.hpp"
#include "forward.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct replacements_access {
  const class_table &classes;
  device_holdings &devices;
  internal::reservations &reservations;
  internal::proposer &proposer;
  allocation_lifecycle &allocations;
  application_lifecycle &applications;
  change_dispatcher &changes;
};

class replacements : replacements_access {
 public:
  explicit replacements(const replacements_access &all) : replacements_access(all) {}

  [[nodiscard]] const slab<replacement, small_page_bytes> &all() const { return all_; }
  // `held`: devices of the placeholder, where it is the same node; else those that a node order chose there, if any.
  void begin(ask &a, allocation &placeholder, node &n, const held_list &held);
  // `terms`: those of the ask as it was then, for a copy of one; null: as it is now.
  replacement &make(ask &a, allocation &placeholder, node &n, const held_list &held,
                    const allocation_terms *terms = nullptr);
  void end(replacement &r);  // it is not under way any more, and holds no room
  void finish(allocation &placeholder, allocation_event how);
  allocation &place(replacement &r);
  void stand_in(const allocation &x, const allocation_terms &terms);
  void undo(allocation &placeholder, bool pending_again, const node *dying);
  // Those by one ask, or all of the application. False: there were none.
  bool undo_all(application &app, const ask *only, bool pending_again);
  // Of a gang of which fewer placeholders came than its placeholder ask names: it runs once real work of it is there
  // and no placeholder is to come.
  void run_short_gang(application &app);
  // Placeholders of the group that are smaller than the ask, in which it can never be, go. False: there are none.
  bool release_too_small(const ask &a, const ask_class &c, const task_group &g);
  void flush() { all_.flush(); }
  // What is there of it but placeholders and what the RM checks still.
  static size_t real_allocations(const application &app);

 private:
  slab<replacement, small_page_bytes> all_;
};

}  // namespace tenon::internal
