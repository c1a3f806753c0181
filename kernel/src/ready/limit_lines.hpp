// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Limit lines hold the groups that wait because a limit is reached: the maxapplications of a queue, or the
// maxapplications or resources of a user or group. A line holds the groups of one unit that wait for one limit, in the
// order of their applications. When the limit has free capacity again, its lines open: each competes with what is ready
// in its leaf by its first group, and only a group that comes before everything ready gets a turn. One more end
// therefore costs as much as there are shapes in the lines, however many applications wait.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/limit_line.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

struct limit_lines_access {
  class_table &classes;
  ready_index &ready;
};

class limit_lines : limit_lines_access {
 public:
  explicit limit_lines(const limit_lines_access &all) : limit_lines_access(all) {}

  // -- A limit is reached. --
  // Holds the application if a maxapplications is reached. Returns whether it is held.
  bool hold_back(application &app);
  // Ends the hold. The groups of the application are in no line and no heap then: ready_index::let_go returns them.
  void stop_waiting(application &app);
  // Parks the group until the limit has as much of the type as one of its asks needs.
  void park(app_class &g, usage_node &full, type_index t);
  // Removes the groups of the application from all lines of users and groups, before these limits are destroyed.
  void forget_limits_of(application &app);

  // -- The line of a group. --
  // Adds the group to its line if its application is held. Returns whether it is.
  bool join(app_class &g);
  void leave(app_class &g);          // requires g.line
  void order_changed(app_class &g);  // the key of its application changed

  // -- The limit has free capacity. --
  void room_rose(queue &q) { open_while_room(q.held); }
  void room_rose(usage_node &u);
  // Makes the groups of open lines ready that come before every ready unit of the leaf.
  void let_go_first(queue &leaf);
  void unparked(leaf_class &u) {  // lines of the unit that were set aside compete again
    if (!aside_.empty()) open_all_of(u);
  }

 private:
  struct line_id {
    const leaf_class *unit = nullptr;
    const queue *full_queue = nullptr;
    const usage_node *full_limit = nullptr;
    type_index type = no_type;
    friend bool operator==(const line_id &, const line_id &) = default;
  };
  struct line_hash {
    size_t operator()(const line_id &id) const;
  };

  void join(app_class &g, queue *full_queue, usage_node *full_limit, type_index t);
  void let_go(app_class &g);
  void open(limit_line &l);
  void close(limit_line &l);
  void take_out(limit_line &l);
  void open_while_room(closed_lines &lines);
  void open_all_of(leaf_class &u);
  static closed_lines &closed_beside(const limit_line &l);

  boost::unordered_flat_map<line_id, std::unique_ptr<limit_line>, line_hash> lines_;
  boost::unordered_flat_map<const leaf_class *, std::vector<limit_line *>> aside_;
};

}  // namespace tenon::internal
