// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/releases.hpp"

#include <boost/container/small_vector.hpp>

#include "lifecycle/allocation_states.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/foreign_allocations.hpp"
#include "model/application_id.hpp"
#include "model/partition_model.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/proposals.hpp"
#include "rules/replacements.hpp"
#include "rules/unfit_placements.hpp"

namespace tenon::internal {

namespace {

using allocation_list = boost::container::small_vector<allocation *, 8>;

// Returns those of the list, oldest first, that the command names. A number of them leaves out what is proposed alone.
template <class List>
allocation_list concerned(const List &of, const tenon::release &c) {
  allocation_list out;
  const auto take = [&](allocation *a) {
    if (c.limit == 0 || a->state != allocation_state::proposed) out.push_back(a);
  };
  if (c.allocation_sequence != 0) {
    if (allocation *a = of.find(c.allocation_sequence); a != nullptr) take(a);
    return out;
  }
  for (allocation *a : of) {
    take(a);
    if (c.limit != 0 && out.size() == c.limit) break;
  }
  return out;
}

}  // namespace

void releases::obey(const tenon::release &c) {
  if (!c.application.empty()) {
    if (application *app = of.find_application(c.application); app != nullptr) release_of(*app, c);
    return;
  }
  if (!c.key.empty() && c.what != release_what::asks) {
    if (node *n = foreign.remove(c.key); n != nullptr) return unfit.end_on(*n);
    if (application *app = of.find_application(application_id_of({}, c.key)); app != nullptr) release_of(*app, c);
    return;
  }
  for (application *app : of.by_submission()) release_of(*app, c);
}

void releases::release_of(application &app, const tenon::release &c) {
  ask *only = nullptr;
  if (!c.key.empty()) {
    only = app.asks.find(c.key);
    if (only == nullptr) return;
  }
  // What is on its way to become an allocation is an ask to the resource manager.
  const bool asks_stay = c.what == release_what::allocations;
  bool gone_any = false, real_went = false;
  if (c.allocation_sequence == 0 && c.limit == 0) {
    const auto of_these = [&](const proposal &p) {
      if (only != nullptr && &p.of() != only) return false;
      real_went |= !p.is_placeholder();
      return true;
    };
    if (!app.proposals->empty()) gone_any = proposals.undo_those(app, of_these, {cause::released_by_rm}, asks_stay);
    if (replacements.undo_all(app, only, asks_stay)) gone_any = real_went = true;
  }
  if (c.what != release_what::asks) {
    const allocation_list going = only != nullptr ? concerned(only->allocations, c) : concerned(app.allocations, c);
    for (allocation *a : going) {
      real_went |= !a->placeholder;
      end_allocation(*a, c.why);
    }
    gone_any |= !going.empty();
  }
  if (c.what != release_what::allocations) {
    const auto drop = [&](ask &a) {
      if (!a.live || a.state != ask_state::pending) return;
      real_went |= !a.placeholder;
      gone_any = true;
      allocations.drop(a);
    };
    if (only != nullptr) {
      drop(*only);
    } else {
      for (ask *a : pending_by_arrival(app)) drop(*a);
    }
  }
  if (gone_any) states.settle(app, real_went);
}

// What takes its place follows.
void releases::end_allocation(allocation &a, termination why) {
  if (a.state == allocation_state::proposed) {
    return proposals.undo(*a.owner, a.sequence, {cause::released_by_rm}, why == termination::scheduling_failed,
                          allocation_event::release);
  }
  proposals.undo_offer(a);
  const bool unasked = why == termination::stopped_by_rm || why == termination::unknown;
  if (unasked) changes.apply(allocation_dismissed{a, why, {cause::released_by_rm}});
  const bool confirms = !unasked && a.state != allocation_state::allocated;
  const allocation_event how = confirms ? allocation_event::acknowledge : allocation_event::release;
  if (a.under_way != nullptr) return replacements.finish(a, how);
  if (why == termination::scheduling_failed && a.state != allocation_state::replacing) return allocations.undo(a);
  allocations.remove_allocation(a, how);
}

}  // namespace tenon::internal
