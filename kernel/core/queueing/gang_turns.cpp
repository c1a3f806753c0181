// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/gang_turns.hpp"

#include <algorithm>
#include <utility>

#include "model/may_run.hpp"

namespace tenon::internal {

void gang_turns::changed(task_group &g, bool more) {
  application &app = *g.owner;
  const bool in_play = !g.waiting.empty() && !g.allocated.empty();
  if (in_play != g.in_play) {
    g.in_play = in_play;
    if (in_play) {
      app.gang.in_play.push_back(&g);
    } else {
      std::erase(app.gang.in_play, &g);
    }
  }
  if (more && app.gang.stuck) {
    std::erase(stuck_, &app);
    app.gang.stuck = false;
  }
  changed(app);
}

void gang_turns::changed(application &app) {
  const bool wanted = !app.gang.in_play.empty() && app.runs() && !in_stopped_queue(app);
  if (wanted) {
    if (!app.gang.stuck && !heap_.contains(&app)) heap_.push(&app);
  } else if (app.gang.stuck) {
    std::erase(stuck_, &app);
    app.gang.stuck = false;
  } else if (heap_.contains(&app)) {
    heap_.erase(&app);
  }
}

void gang_turns::wake_stuck() {
  for (application *app : std::exchange(stuck_, {})) {
    app->gang.stuck = false;
    changed(*app);
  }
}

// A placeholder on it, or an ask that it is reserved for, may do better now.
void gang_turns::wake_on(const node &n) {
  if (stuck_.empty()) return;
  const auto stuck_here = [](const allocation *a) { return a->placeholder && a->owner->gang.stuck; };
  const auto kept_here = [](const reservation *r) { return r->of->owner->gang.stuck; };
  if (std::any_of(n.allocations.begin(), n.allocations.end(), stuck_here) ||
      std::any_of(n.reservations->begin(), n.reservations->end(), kept_here)) {
    wake_stuck();
  }
}

void gang_turns::tried(application &app) {
  if (!heap_.contains(&app)) return;
  heap_.erase(&app);
  app.gang.stuck = true;
  stuck_.push_back(&app);
}

}  // namespace tenon::internal
