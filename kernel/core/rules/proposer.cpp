// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/proposer.hpp"

#include "core.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/gangs.hpp"
#include "rules/lifecycles.hpp"
#include "rules/open_proposals.hpp"
#include "rules/replacements.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

void proposer::propose(ask &a, node &n, const held_devices &chosen) {
  const allocation_terms terms = allocations.terms_of(a);
  const reservation *own = reservation_of(a);
  const auto reserved = own != nullptr && own->where == &n ? std::optional(own->way) : std::nullopt;
  node *kept = reservations.use(a);
  allocation &x = allocations.place_on(a, n, terms, {{}, chosen}, allocation_event::propose);
  allocations.count_placed(a);
  note(*a.owner, {x.sequence, &x, nullptr, terms.execution_timeout_ms, reserved});
  if (kept != nullptr) reservations.reopen(*kept);
}

void proposer::propose_replacement(ask &a, allocation &placeholder, node &n, const held_list &devices) {
  node *kept = reservations.use(a);
  replacement &r = replacements.make(a, placeholder, n, devices);
  r.number = allocations.take_sequence();
  gangs.leave_allocated(placeholder);  // nothing else is proposed in its place
  changes.apply(replacement_proposed{placeholder, &r});
  allocations.count_placed(a);
  note(*a.owner, {r.number, nullptr, &r});
  if (kept != nullptr) reservations.reopen(*kept);
}

void proposer::note(application &app, const proposal &p) {
  open.add(p.number, app);
  ++shared.counters.proposed;
  changes.apply(proposal_made{app, p});
  if (app.state == application_state::accepted) applications.count_up(app, true);
}

}  // namespace tenon::internal
