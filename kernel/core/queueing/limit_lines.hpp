// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Limit lines hold the groups that wait because a limit is reached: the maxapplications of a queue, or the
// maxapplications or resources of a user or group. When no limit of a line is reached any longer, the line opens: it
// competes with what is ready in its leaf by its first group, and only a group that comes before everything ready gets
// a turn. One more end therefore costs as much as there are shapes and users in the lines, however many applications
// wait.
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
  // Parks the group if a maxapplications keeps its application from running. Returns whether it does.
  bool hold_back(app_class &g);
  void park(app_class &g, const reached_limit &by);
  // -- Which limits apply to an application changes. --
  void stop_waiting(application &app);   // takes its groups out of their lines; they are in no heap then
  void look_again_at(application &app);  // makes its groups ready that are in lines

  // -- The line of a group. --
  void leave(app_class &g);          // requires g.line
  void order_changed(app_class &g);  // likewise; the key of its application changed

  // -- The limit has free capacity. --
  void room_rose(queue &q) { look_again(q.held); }
  void room_rose(usage_node &u);
  // Makes the groups of open lines ready that come before every ready unit of the leaf.
  void let_go_first(queue &leaf);
  void unparked(leaf_class &u) {  // lines of the unit that were set aside compete again
    if (!aside_.empty()) open_all_of(u);
  }

 private:
  struct line_id {
    const leaf_class *unit = nullptr;
    line_terms terms;
    friend bool operator==(const line_id &, const line_id &) = default;
  };
  struct line_hash {
    size_t operator()(const line_id &id) const;
  };

  [[nodiscard]] reached_limit reached_by(const limit_line &l) const;
  void open(limit_line &l);
  void close(limit_line &l, const reached_limit &by);
  void set_aside(limit_line &l);
  void take_out(limit_line &l);
  void look_again(closed_lines &lines);
  void open_all_of(leaf_class &u);
  static closed_lines &closed_beside(const reached_limit &by);

  boost::unordered_flat_map<line_id, std::unique_ptr<limit_line>, line_hash> lines_;
  boost::unordered_flat_map<const leaf_class *, std::vector<limit_line *>> aside_;
};

}  // namespace tenon::internal
