// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/reserved_pass.hpp"

#include "cycle/placer.hpp"
#include "ready/ready_index.hpp"
#include "ready/reserved_line.hpp"
#include "rules/headroom.hpp"
#include "rules/placement_checks.hpp"
#include "rules/preemption.hpp"
#include "rules/required_node_preemption.hpp"

namespace tenon::internal {

bool reserved_pass::has_work() const { return !line.empty(); }

bool reserved_pass::decide() {
  while (!line.empty()) {
    if (try_one(line.first())) return true;
  }
  return false;
}

// A look that fails leaves less to look at.
bool reserved_pass::try_one(reservation &r) {
  ask &a = *r.of;
  application &app = *a.owner;
  reserved_unit &u = *r.unit;
  ask_class &c = *u.shape;
  checks.begin_turn();
  if (ready.hold_back(app)) return false;
  type_index type = no_type;
  if (usage_node *full = headroom.full_limit(app, c, type); full != nullptr) {
    line.park_on_limit(r, *full, type);
    return false;
  }
  queue *full = headroom.full_queue(*u.leaf, c, type);
  bool refused = false;
  if (full == nullptr && place(r, refused)) return true;
  if (c.required_node.empty() && preemption.try_for(a)) return true;
  if (full != nullptr && u.parked == parking::none) ready.park_on_queue(u, *full, type);
  line.tried(r, refused);
  return false;
}

// Within all headroom.
bool reserved_pass::place(reservation &r, bool &refused) {
  ask &a = *r.of;
  ask_class &c = *r.unit->shape;
  if (r.refused) return false;
  if (r.look) {
    node &own = *r.where;
    if (placer.place_on(own, a, c, refused)) return true;
    r.look = false;
    if (c.requires_a_node()) {
      refused |= checks.has_refused(a, own);  // nobody gives way for what the RM does not let run there
      return !refused && on_node.try_on(own, a);
    }
  }
  return c.required_node.empty() && placer.place(a, c, refused);
}

}  // namespace tenon::internal
