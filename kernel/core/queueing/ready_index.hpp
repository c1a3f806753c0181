// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ready index: what may run next, and what waits for what. A unit (all asks of one class in one leaf) is in its leaf's
// heap, or parked on one thing. A group (its asks in one application) is in its unit's heap, unless something full
// keeps it back (limit_lines). Nothing parked is looked at before what it waits for changes, or time gives it another
// chance (ask_alarms).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "queueing/waiting_needs.hpp"

namespace tenon::internal {

struct ready_index_access {
  const std::unique_ptr<queue> &root;
  class_table &classes;
  const node_table &nodes;
  const node_fitness &fitness;
  sort_keys &keys;
  ask_alarms &alarms;
  ask_lines &lines;
  reserved_line &reserved;
  gang_turns &gangs;
  kept_orders &orders;
  limit_lines &limited;
};

class ready_index : ready_index_access {
 public:
  explicit ready_index(const ready_index_access &all) : ready_index_access(all) {}

  // -- What may run next. --
  [[nodiscard]] bool empty() const;
  leaf_class *next();  // the unit whose first ask is to be tried; null: there is none

  // -- Units: one is there while groups are of it. --
  leaf_class &join_unit(queue &leaf, unit_id which);
  void leave_unit(leaf_class &u);

  // -- This may run, or not any more. --
  void queue_became_ready(queue &q);  // its state or key lets it run again, or it has runnable work
  void queue_became_unready(queue &q);
  void make_ready(app_class &g);  // as far as its unit, application and limits allow
  void make_unready(app_class &g);
  void node_empties(reservation &r, bool is_so);  // for an ask that has its turns
  void priority_changed(queue &leaf);             // of an application in it
  void order_changed(app_class &g);               // its application's key did
  void first_changed(app_class &g);               // its first ask did
  void hold(application &app);                    // out of every heap
  void let_go(application &app);
  void forget(queue &q);      // which is retired
  void forget(app_class &g);  // which is retired

  void unpark(parked_unit &u);  // it has its turn
  // What is left of a queue's max, and of the root what all nodes have free together.
  [[nodiscard]] int64_t headroom_in(const queue &q, type_index t) const;
  // Asks that may go before this one, and fit into what is kept for it in its queues, have their turns.
  void let_go_before(const ask &a);

  // -- This waits for that. --
  void park_on_queue(leaf_class &u, queue &full, type_index t, int64_t amount);  // until so much headroom is there
  // The root stands for what all nodes have free together.
  void park_on_cluster(leaf_class &u, type_index t);
  // The asks of the gang stand in ask_line::refused until there is so much.
  void park_gang(application &app, queue &full, type_index t, int64_t amount);
  // Those of it that come first took the only room for another: until what they would take may be elsewhere.
  void park_gang_on_places(application &app);
  void forget_gang(application &app);
  void park_on_nodes(leaf_class &u, bool may_reserve);
  void park_on_nodes(app_class &g);  // no node is reserved for its application beside those that are
  // On nodes: the queue does not hold one of it beside the asks below for which nodes are reserved.
  void park_beside_reserved(leaf_class &u, queue &crowded);
  void block(ask_class &c);            // no node holds it now
  void block_reserving(ask_class &c);  // nor may one be reserved for it

  // -- This changed: what waits for it is looked at again. --
  void wake_headroom(queue &q);
  void wake_cluster() { wake_headroom(*root); }  // what nodes have free
  void wake_all_below(queue &q);                 // its configuration
  void wake_parked_groups(application &app);     // it has a reservation less
  void wake_beside_reserved(application &app);   // the same, or reserved asks of it need no more room in its queues
  void wake_for_node(node &n);
  void wake_for_places();            // something took room, or a node, that others may have wanted
  void wake_blocked();               // whatever blocks them
  [[gnu::cold]] void wake_judged();  // predicates are asked again about nodes

 private:
  struct unit_place {
    const queue *leaf = nullptr;
    unit_id which;
    friend bool operator==(const unit_place &, const unit_place &) = default;
  };
  struct unit_place_hash {
    using is_avalanching = void;
    size_t operator()(const unit_place &place) const;
  };

  leaf_class *first_of(queue &leaf);
  static leaf_class_heap &heap_of(leaf_class &u);
  void place_changed(leaf_class &u);
  void unit_ready(leaf_class &u);
  void unit_unready(leaf_class &u);
  std::vector<parked_unit *> &list_of(const parked_unit &u);  // that it is parked in
  parked_unit &unit_of_gang(application &app);                // a new one
  static void wait_in(parked_unit &u, queue &full, type_index t, int64_t amount);
  void join_list(parked_unit &u);
  void leave_list(parked_unit &u);
  void unpark_within(queue &q, const resources &more = {});  // those for which there is headroom in it
  void forget_if_unused(ask_class &c);
  void unblock(ask_class &c);
  void wake_class(ask_class &c);
  void wake_groups(ask_class &c);
  void wake_to_reserve(node &n);

  waiting_needs blocked_;                        // classes
  std::vector<ask_class *> blocked_for_a_node_;  // those that require one
  std::vector<parked_unit *> gangs_;             // that wait for other places
  std::vector<ask_class *> unreservable_;  // of the blocked ones; those that are not any more go when they are seen
  boost::unordered_flat_map<unit_place, std::unique_ptr<leaf_class>, unit_place_hash> units_;
  std::vector<std::unique_ptr<leaf_class>> spare_units_;  // the next ones
  size_t most_nodes_ = 0;                                 // that may be reserved for an application, as was known last
};

}  // namespace tenon::internal
