// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Lifecycles: what rules bring about for allocations, applications and queues beside amounts and states. Whoever leads
// an object through its life provides them; rules do not know who that is.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/device_records.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/decisions.hpp"

namespace tenon::internal {

class allocation_lifecycle {
 public:
  // An ask gets what it needs on the node; where the resource manager checks placements, it is proposed. `chosen`:
  // devices that a node order chose there.
  virtual void commit(ask &a, node &n, const held_devices &chosen) = 0;

  // -- One at a time, for those who do it in steps of their own. --
  [[nodiscard]] virtual allocation_terms terms_of(const ask &a) const = 0;
  virtual uint64_t take_sequence() = 0;  // as the next allocation's
  virtual allocation &place_on(ask &a, node &n, const allocation_terms &terms, const settled_devices &devices,
                               allocation_event how) = 0;
  virtual void count_placed(ask &a) = 0;  // one of what is pending is not any more
  virtual void announce(const allocation &x, const allocation_terms &terms, bool existing) = 0;

  // -- Gone, or on its way out. --
  // What is proposed in its place is undone. `why`: it is to be released, which the resource manager is told.
  virtual void move(allocation &a, allocation_event event, const reason *why) = 0;
  virtual void expire(allocation &a, const reason &why) = 0;  // waits for the resource manager from now on
  virtual void remove_allocation(allocation &a, allocation_event how, bool keeps_ask) = 0;
  virtual bool unplace(ask &a) = 0;  // one of it is placed less. True: it is pending again
  virtual void forget_if_done(ask &a) = 0;

 protected:
  ~allocation_lifecycle() = default;
};

class application_lifecycle {
 public:
  virtual void run(application &app, std::string_view why) = 0;
  // `why`: of the new state, where it is another one; empty: what made it leave the last one.
  virtual bool move(application &app, application_event event, std::string_view why) = 0;
  [[nodiscard]] virtual int64_t time_in_state(const application &app) const = 0;
  virtual void count_up(application &app, bool counted) = 0;  // towards maxapplications
  virtual void after_placing(application &app,
                             const allocation &x) = 0;  // the state that a new allocation brings it to
  // After something went, `real_went`: something that is no placeholder. Ends it where nothing is left.
  virtual void settle(application &app, bool real_went) = 0;
  virtual void expire_all(application &app, const reason &why, bool only_placeholders) = 0;
  virtual void drop_asks(application &app, termination end, const reason &why, bool only_placeholders) = 0;

 protected:
  ~application_lifecycle() = default;
};

class queue_lifecycle {
 public:
  [[nodiscard]] virtual queue *find_queue(std::string_view path) const = 0;  // null: there is none
  virtual queue &create_queue(queue *parent, std::string_view name, bool leaf, bool managed) = 0;
  virtual void resolve_properties(queue &q) = 0;                     // its own, and what it inherits
  virtual bool knows_types_of(const amount_map &amounts) = 0;        // or there is room for those that are new
  virtual resources configured_amounts(const amount_map &from) = 0;  // interned; nothing unless some amount is above 0

 protected:
  ~queue_lifecycle() = default;
};

}  // namespace tenon::internal
