// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/replacements.hpp"

#include <algorithm>

#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "model/partition_model.hpp"
#include "outbound/fact_teller.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/lifecycles.hpp"
#include "rules/proposer.hpp"
#include "rules/reservations.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

void replacements::begin(ask &a, allocation &placeholder, node &n, const held_list &held) {
  if (proposer.proposes()) return proposer.propose_replacement(a, placeholder, n, held);
  node *kept = reservations.use(a);
  const reason why{cause::replaced, a.key};
  changes.apply(replacement_begun{placeholder, &make(a, placeholder, n, held)});
  allocations.move(placeholder, allocation_event::replace, &why);
  allocations.count_placed(a);
  if (kept != nullptr) reservations.reopen(*kept);
}

replacement &replacements::make(ask &a, allocation &placeholder, node &n, const held_list &held,
                                const allocation_terms *terms) {
  replacement &r = all_.create();
  r.placeholder = &placeholder;
  r.real = &a;
  r.where = &n;
  r.terms = terms != nullptr ? *terms : allocations.terms_of(a);
  changes.apply(replacement_made{r});
  if (r.elsewhere()) {
    const ask_class &c = classes[r.terms.class_id];
    changes.apply(room_taken{n, c});
    if (n.divided) devices.assign(r.devices, n, c, {{}, held.empty() ? held_devices{} : held.front()}, true);
  } else {
    devices.keep(r.devices, held);
  }
  return r;
}

void replacements::end(replacement &r) {
  changes.apply(replacement_ended{r});
  if (r.elsewhere()) {
    node &n = *r.where;
    changes.apply(room_given{n, classes[r.terms.class_id].need});
    changes.apply(node_stored{n});
  }
  devices.free(r.devices, r.elsewhere() ? r.where : nullptr);
  all_.retire(r);
}

// The placeholder goes, and what replaces it comes.
void replacements::finish(allocation &placeholder, allocation_event how) {
  replacement &r = *placeholder.under_way;
  devices.free(placeholder.devices, placeholder.where);
  const allocation &x = place(r);
  allocations.remove_allocation(placeholder, how, false);
  stand_in(x, r.terms);
}

allocation &replacements::place(replacement &r) {
  const std::string_view detail = devices.text_of(r.devices);  // readable until flush()
  end(r);
  allocation &x = allocations.place_on(*r.real, *r.where, r.terms, {detail}, allocation_event::allocate);
  x.replaced = true;
  x.placeholder_created_ms = r.placeholder->create_time_ms;
  return x;
}

// The first one of an application changes its state no more than its placeholder did.
void replacements::stand_in(const allocation &x, const allocation_terms &terms) {
  allocations.announce(x, terms, false);
  application &app = *x.owner;
  if (real_allocations(app) > 1) {
    applications.after_placing(app, x);
  } else {
    run_short_gang(app);
  }
}

size_t replacements::real_allocations(const application &app) {
  size_t real = app.allocations.size() - app.placeholder_count;
  for (const proposal &p : app.proposals) real -= p.made != nullptr && !p.is_placeholder() ? 1 : 0;
  return real;
}

void replacements::run_short_gang(application &app) {
  if (app.state != application_state::accepted || app.allocations.empty()) return;
  const auto to_come = [](const auto &item) { return item.second.pending > 0; };
  const auto unanswered = [](const proposal &p) { return p.is_placeholder(); };
  if (std::any_of(app.task_groups.begin(), app.task_groups.end(), to_come) ||
      std::any_of(app.proposals->begin(), app.proposals->end(), unanswered)) {
    return;
  }
  if (real_allocations(app) != 0) applications.run(app, messages::gang_runs());
}

void replacements::undo(allocation &placeholder, bool pending_again, const node *dying) {
  replacement &r = *placeholder.under_way;
  ask &a = *r.real;
  node &n = *r.where;
  const bool gives_room = r.elsewhere() && &n != dying;
  end(r);
  changes.apply(replacement_begun{placeholder, nullptr});
  if (pending_again) allocations.unplace(a);
  allocations.forget_if_done(a);
  if (gives_room) changes.apply(node_changed{n, true});
}

bool replacements::undo_all(application &app, const ask *only, bool pending_again) {
  if ((only != nullptr ? only->under_way : app.under_way) == 0) return false;
  for (allocation *placeholder : all_of(app.allocations)) {
    if (placeholder->under_way == nullptr || (only != nullptr && placeholder->under_way->real != only)) continue;
    undo(*placeholder, pending_again, nullptr);
  }
  return true;
}

// -- None that would do. --

bool replacements::release_too_small(const ask &a, const ask_class &c, const task_group &g) {
  const auto small = [&](uint32_t class_id) { return !fit_in(classes[class_id].need, c.need); };
  if (std::none_of(g.sizes.begin(), g.sizes.end(), [&](const auto &s) { return small(s.first); })) return false;
  const std::vector<allocation *> all(g.allocated.begin(), g.allocated.end());
  for (allocation *placeholder : all) {
    if (!small(placeholder->class_id)) continue;
    changes.apply(placeholder_outgrown{*placeholder, a});
    allocations.expire(*placeholder, {cause::placeholder_too_small});
  }
  return true;
}

}  // namespace tenon::internal
