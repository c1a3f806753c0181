// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/placeholder_pass.hpp"

#include <algorithm>
#include <vector>

#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "model/node_table.hpp"
#include "ready/ask_lines.hpp"
#include "ready/node_fitness.hpp"
#include "ready/ready_index.hpp"
#include "rules/gangs.hpp"
#include "rules/node_search.hpp"
#include "rules/placement_checks.hpp"
#include "rules/replacements.hpp"

namespace tenon::internal {

bool placeholder_pass::has_work() const { return gangs_.has_work(); }

bool placeholder_pass::decide() {
  while (gangs_.has_work()) {
    application &app = gangs_.first();
    if (replace_in(app)) return true;
    gangs_.tried(app);
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
  for (ask *a : refused) lines_.move_to_refused(*a);
  return done;
}

bool placeholder_pass::replace_one(ask &a, task_group &g, bool &rm_refuses) {
  ask_class &c = classes_[a.class_id];
  // What is known of a class leaves out the node that is kept for the ask.
  const reservation *own = reservation_of(a);
  const bool own_holds = own != nullptr && nodes_.usable(own->where->slot) && nodes_.holds(c, own->where->slot);
  if (!own_holds && std::find(g.hopeless.begin(), g.hopeless.end(), c.id) != g.hopeless.end()) return false;
  ++shared_.counters.asks_examined;
  if (replacements_.release_too_small(a, c, g)) return true;
  for (allocation *placeholder : g.allocated) {
    const bool allowed = c.required_node.empty() || c.required_node == placeholder->where->id;
    held_list devices;
    if (!allowed || !devices_.take_over(c, *placeholder, devices)) continue;
    if (!fitness_.passes(*placeholder->where, c)) continue;
    if (!checks_.agrees(a, *placeholder->where, false)) {
      rm_refuses = true;
      continue;
    }
    replacements_.begin(a, *placeholder, *placeholder->where, devices);
    return true;
  }
  if (!c.blocked || own_holds) {
    bool search_refused = false;
    if (node *n = search_.find(c, a, search_refused); n != nullptr) {
      replacements_.begin(a, *g.allocated.first(), *n, {});
      return true;
    }
    rm_refuses |= search_refused;
    if (!search_refused && !c.blocked) ready_.block(c);
  }
  c.gangs_wait = true;
  if (!rm_refuses) g.hopeless.push_back(c.id);
  return false;
}

}  // namespace tenon::internal
