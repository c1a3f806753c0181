// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/queue_pass.hpp"

#include "cycle/placer.hpp"
#include "cycle/required_node.hpp"
#include "cycle/reserver.hpp"
#include "cycle/whole_gang.hpp"
#include "model/gang_start.hpp"
#include "model/may_run.hpp"
#include "model/queue_properties.hpp"
#include "model/queue_turns.hpp"
#include "queueing/ask_alarms.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/kept_orders.hpp"
#include "queueing/limit_lines.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"
#include "rules/headroom.hpp"
#include "rules/placement_checks.hpp"
#include "rules/preemption.hpp"

namespace tenon::internal {

bool queue_pass::decide() {
  while (leaf_class *u = ready.next()) {
    if (try_unit(*u)) return true;
  }
  return false;
}

bool queue_pass::try_unit(leaf_class &u) {
  app_class &g = *u.ready.top();
  application &app = *g.owner;
  ask &a = *g.first();
  ask_class &c = classes[u.class_id];
  checks.begin_turn();
  if (limited.hold_back(g) || orders.stands_behind(u)) return false;
  if (a.placeholder && reservation_of(a) == nullptr && waits_to_begin(app, classes)) return whole_gang.begin(app);
  if (const reached_limit by = reached_amount(app, c); !by.is_none()) {
    limited.park(g, by);
    return false;
  }
  type_index type = no_type;
  queue *full = headroom.full_queue(a, c, type);
  bool refused = false;
  if (try_ask(a, c, full == nullptr, refused)) return true;
  if (refused) {  // nodes would do, the RM wants none of them: only this ask waits
    lines.move_to_refused(a);
  } else if (u.kind == unit_kind::preempts) {
    lines.move_to(a, alarms.kind_for(a));
  } else if (full != nullptr) {
    orders.park_on_headroom(u, *full, type);
  } else if (u.kind == unit_kind::reserves && reserved.has_most_nodes(app)) {
    ready.park_on_nodes(g);
  } else if (queue *crowded = u.kind == unit_kind::reserves ? reserver.crowded_queue(a, c) : nullptr) {
    ready.park_beside_reserved(u, *crowded);
  } else if (u.kind == unit_kind::reserves && !may_empty_for(app) && headroom.is_cluster_full(c, type)) {
    ready.park_on_cluster(u, type);
  } else {
    ready.park_on_nodes(u, u.kind == unit_kind::reserves);
  }
  return false;
}

// Within the limits of its user and group.
bool queue_pass::try_ask(ask &a, ask_class &c, bool has_headroom, bool &refused) {
  if (const reservation *own = reservation_of(a)) {
    return placer.place_on(*own->where, a, c, refused) || placer.place(a, c, refused);
  }
  if (c.requires_a_node()) return has_headroom && required.take(a, c, refused);
  if (has_headroom && placer.place(a, c, refused)) return true;
  if (a.preempt_other && preemption.try_for(a)) return true;
  return has_headroom && reserver.reserve(a, c, refused);
}

}  // namespace tenon::internal
