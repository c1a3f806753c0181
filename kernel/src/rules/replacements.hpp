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
class decision_teller;
class device_holdings;
class proposals;
class reservations;
struct core;

class replacements {
 public:
  // `by_proposals`: the resource manager checks what is proposed.
  replacements(core &shared, bool by_proposals, const class_table &classes, const device_records &records,
               device_holdings &devices, internal::reservations &reservations, internal::proposals &proposals,
               allocation_lifecycle &allocations, application_lifecycle &applications, decision_teller &decisions,
               change_dispatcher &changes)
      : shared_(shared),
        by_proposals_(by_proposals),
        classes_(classes),
        device_records_(records),
        devices_(devices),
        reservations_(reservations),
        proposals_(proposals),
        allocations_(allocations),
        applications_(applications),
        decisions_(decisions),
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
  void flush() { all_.flush(); }

 private:
  static size_t real_allocations(const application &app);

  core &shared_;
  const bool by_proposals_;
  const class_table &classes_;
  const device_records &device_records_;
  device_holdings &devices_;
  internal::reservations &reservations_;
  internal::proposals &proposals_;
  allocation_lifecycle &allocations_;
  application_lifecycle &applications_;
  decision_teller &decisions_;
  change_dispatcher &changes_;
  slab<replacement, small_page_bytes> all_;
};

}  // namespace tenon::internal
