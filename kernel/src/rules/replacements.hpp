// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Replacements: real asks on their way into the place of a placeholder. One is begun when pass B found it, and finished
// when the resource manager says that the placeholder is gone.
#pragma once

#include <cstddef>

#include "base/slab.hpp"
#include "model/device_records.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

class allocation_lifecycle;
class application_lifecycle;
class change_dispatcher;
class class_table;
class device_holdings;
class fact_teller;
class proposer;
class reservations;
struct core;

class replacements {
 public:
  // `by_proposals`: the resource manager checks what is proposed.
  replacements(core &shared, bool by_proposals, const class_table &classes, const device_records &records,
               device_holdings &devices, internal::reservations &reservations, internal::proposer &proposer,
               allocation_lifecycle &allocations, application_lifecycle &applications, const fact_teller &facts,
               change_dispatcher &changes)
      : shared_(shared),
        by_proposals_(by_proposals),
        classes_(classes),
        device_records_(records),
        devices_(devices),
        reservations_(reservations),
        proposer_(proposer),
        allocations_(allocations),
        applications_(applications),
        facts_(facts),
        changes_(changes) {}

  [[nodiscard]] const slab<replacement, small_page_bytes> &all() const { return all_; }
  // `devices`: of the placeholder, where it is the same node.
  void begin(ask &a, allocation &placeholder, node &n, const held_list &devices);
  replacement &make(ask &a, allocation &placeholder, node &n, const held_list &devices);
  void end(replacement &r);  // it is not under way any more, and holds no room
  void finish(allocation &placeholder, allocation_event how);
  allocation &place(replacement &r);
  void stand_in(const allocation &x, const allocation_terms &terms);
  void undo(allocation &placeholder, bool pending_again, const node *dying);
  // Those by one ask, or all of the application. False: there were none.
  bool undo_all(application &app, const ask *only, bool pending_again);
  // A gang runs when all that its placeholder ask names is allocated; and, where fewer placeholders came, once real
  // work of it is there and no placeholder is to come.
  void run_short_gang(application &app);
  // Placeholders of the group that are smaller than the ask, in which it can never be, go. False: there are none.
  bool release_too_small(const ask &a, const ask_class &c, const task_group &g);
  void flush() { all_.flush(); }

 private:
  static size_t real_allocations(const application &app);

  core &shared_;
  const bool by_proposals_;
  const class_table &classes_;
  const device_records &device_records_;
  device_holdings &devices_;
  internal::reservations &reservations_;
  internal::proposer &proposer_;
  allocation_lifecycle &allocations_;
  application_lifecycle &applications_;
  const fact_teller &facts_;
  change_dispatcher &changes_;
  slab<replacement, small_page_bytes> all_;
};

}  // namespace tenon::internal
