// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/placeholder_pass.hpp"

#include <algorithm>
#include <vector>

#include "cycle/placer.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/gang_turns.hpp"
#include "queueing/node_fitness.hpp"
#include "rules/placement_checks.hpp"
#include "rules/replacements.hpp"

namespace tenon::internal {

bool placeholder_pass::has_work() const { return gangs.has_work(); }

bool placeholder_pass::decide() {
  while (gangs.has_work()) {
    application &app = gangs.first();
    if (replace_in(app)) return true;
    gangs.tried(app);
  }
  return false;
}

// The asks that wait in all groups in play, in their order: the first for which something can be done.
bool placeholder_pass::replace_in(application &app) {
  for (task_group *g : app.gang.in_play) {
    g->next = 0;
    g->hopeless.clear();
  }
  std::vector<ask *> refused;
  bool done = false;
  while (!done) {
    task_group *first = nullptr;
    for (task_group *g : app.gang.in_play) {
      if (g->next == g->waiting.size()) continue;
      if (first == nullptr || tried_before(*g->waiting.begin()[g->next], *first->waiting.begin()[first->next]))
        first = g;
    }
    if (first == nullptr) break;
    ask &a = *first->waiting.begin()[first->next++];
    bool rm_refuses = false;
    done = replace_one(a, *first, rm_refuses);
    if (!done && rm_refuses) refused.push_back(&a);
  }
  for (ask *a : refused) lines.move_to_refused(*a);
  return done;
}

bool placeholder_pass::replace_one(ask &a, task_group &g, bool &rm_refuses) {
  ask_class &c = classes[a.class_id];
  // What is known of a class leaves out the node that is kept for the ask.
  const reservation *own = reservation_of(a);
  const bool own_holds = own != nullptr && own->where->schedulable() && fitness.has_room(*own->where, c);
  if (!own_holds && std::find(g.hopeless.begin(), g.hopeless.end(), c.id) != g.hopeless.end()) return false;
  checks.begin_turn();
  if (replacements.release_too_small(a, c, g)) return true;
  for (allocation *placeholder : g.allocated) {
    held_list devices;
    if (!fitness.fits_in_place_of(*placeholder, c, devices)) continue;
    if (!checks.agrees(a, *placeholder->where, false)) {
      rm_refuses = true;
      continue;
    }
    replacements.begin(a, *placeholder, *placeholder->where, devices);
    return true;
  }
  if (!c.blocked || own_holds) {
    if (const found_node found = placer.find(a, c, rm_refuses); found) {
      allocation &placeholder = *g.allocated.first();
      held_list chosen;
      if (found.chosen.type != no_type && found.where != placeholder.where) chosen.push_back(found.chosen);
      replacements.begin(a, placeholder, *found.where, chosen);
      return true;
    }
  }
  c.gangs_wait = true;
  if (!rm_refuses) g.hopeless.push_back(c.id);
  return false;
}

}  // namespace tenon::internal
