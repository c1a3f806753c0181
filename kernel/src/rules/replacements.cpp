// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/replacements.hpp"

#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

void replacements::begin(ask &a, allocation &placeholder, node &n, const held_list &devices) {
  if (p_.check_deadline_ms > 0) return p_.proposals.propose_replacement(a, placeholder, n, devices);
  node *kept = p_.reservations.use(a);
  p_.decisions.emit_released(placeholder, termination::placeholder_replaced, {cause::replaced, a.key});
  placeholder.under_way = &make(a, placeholder, n, devices);
  p_.move(placeholder, allocation_event::replace);
  p_.count_placed(a);
  if (kept != nullptr) p_.reservations.reopen(*kept);
}

replacement &replacements::make(ask &a, allocation &placeholder, node &n, const held_list &devices) {
  replacement &r = all_.create();
  r.placeholder = &placeholder;
  r.real = &a;
  r.where = &n;
  r.terms = p_.terms_of(a);
  ++a.under_way;
  ++a.owner->under_way;
  if (r.elsewhere()) {
    n.coming.push_back(&r);
    const ask_class &c = p_.classes[a.class_id];
    p_.apply(room_taken{n, c});
    if (n.divided) p_.holdings.assign(r.devices, n, c, {}, true);
  } else {
    p_.holdings.keep(r.devices, devices);
  }
  return r;
}

void replacements::end(replacement &r) {
  --r.real->under_way;
  --r.real->owner->under_way;
  if (r.elsewhere()) {
    node &n = *r.where;
    std::erase(n.coming, &r);
    p_.apply(room_given{n, p_.classes[r.terms.class_id].need});
    p_.apply(node_stored{n});
  }
  p_.holdings.free(r.devices, r.elsewhere() ? r.where : nullptr);
  all_.retire(r);
}

// The placeholder goes, and what replaces it comes.
void replacements::finish(allocation &placeholder, allocation_event how) {
  replacement &r = *placeholder.under_way;
  p_.holdings.free(placeholder.devices, placeholder.where);
  const allocation &x = place(r);
  p_.remove_allocation(placeholder, how);
  stand_in(x, r.terms);
}

allocation &replacements::place(replacement &r) {
  const std::string_view detail = p_.held_devices_of.text_of(r.devices);  // readable until flush()
  end(r);
  allocation &x = p_.place_on(*r.real, *r.where, r.terms, p_.shared.now_ms, detail);
  x.replaced = true;
  x.placeholder_created_ms = r.placeholder->create_time_ms;
  return x;
}

// The first one of an application changes its state no more than its placeholder did.
void replacements::stand_in(const allocation &x, const allocation_terms &terms) {
  p_.announce(x, terms);
  application &app = *x.owner;
  if (real_allocations(app) > 1) {
    p_.after_placing(app, x);
  } else {
    run_short_gang(app);
  }
}

// What is none of placeholders, and nothing that the RM checks still.
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
      std::any_of(app.proposals.begin(), app.proposals.end(), unanswered)) {
    return;
  }
  if (real_allocations(app) != 0) p_.run(app, messages::gang_runs());
}

void replacements::undo(allocation &placeholder, bool pending_again, const node *dying) {
  replacement &r = *placeholder.under_way;
  ask &a = *r.real;
  node &n = *r.where;
  const bool gives_room = r.elsewhere() && &n != dying;
  end(r);
  placeholder.under_way = nullptr;
  p_.touched(placeholder);
  if (pending_again) p_.unplace(a);
  p_.forget_if_done(a);
  if (gives_room) p_.apply(node_changed{n});
}

bool replacements::undo_all(application &app, const ask *only, bool pending_again) {
  if ((only != nullptr ? only->under_way : app.under_way) == 0) return false;
  for (allocation *placeholder : p_.by_sequence(app.allocations)) {
    if (placeholder->under_way == nullptr || (only != nullptr && placeholder->under_way->real != only)) continue;
    undo(*placeholder, pending_again, nullptr);
  }
  return true;
}

}  // namespace tenon::internal
