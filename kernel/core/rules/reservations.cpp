// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/reservations.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core.hpp"
#include "model/gang_reservations.hpp"
#include "model/gang_start.hpp"
#include "model/victims.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/reserved_line.hpp"
#include "rules/claims.hpp"
#include "rules/reserved_nodes.hpp"

namespace tenon::internal {

void reservations::reserve(ask &a, node &n, way_to_room way) { arm(keep(a, n, way), wait_ends_ms()); }

void reservations::reserve_for_gang(ask &a, node &n, way_to_room way) {
  const reservation &r = keep(a, n, way, true);
  if (&r == reservation_of_gang(*a.owner)) arm(r, wait_ends_ms());
}

int64_t reservations::wait_ends_ms() const {
  return add_saturating(clock.now_ms(), std::max<int64_t>(1, config.tuning.reservation_wait_ms));
}

void reservations::arm(const reservation &r, int64_t due_ms) {
  clock.arm(due_ms, timer_kind::reservation_wait, r.index, r.sequence);
}

const reservation &reservations::keep(ask &a, node &n, way_to_room way, bool of_gang) {
  if (!of_gang) lines.dequeue(a);
  reservation &r = all_.create();
  r.of = &a;
  r.where = &n;
  r.way = way;
  r.of_gang = of_gang;
  r.sequence = next_++;
  (void)ask_wait::of(a, waits);
  changes.apply(reservation_made{r});
  changes.apply(node_closed{n, access.keeps_others_out(n)});
  claims.keep_for(a);
  if (!of_gang) lines.enqueue(a);
  return r;
}

// `first` is told of first; null: none of them is.
void reservations::end_of_gang(application &app, const reservation *first, const reason &why) {
  std::vector<reservation *> all;
  std::copy_if(app.reservations->begin(), app.reservations->end(), std::back_inserter(all),
               [](const reservation *r) { return r->of_gang; });
  ask &claimant = claimant_of(*all.front()->of);
  if (first != nullptr) {
    const auto at = std::find(all.begin(), all.end(), first);
    std::rotate(all.begin(), at, at + 1);
  }
  std::reverse(all.begin() + 1, all.end());
  std::vector<node *> left;
  for (reservation *r : all) {
    changes.apply(reservation_ended{*r, why});
    if (left.empty() || left.back() != r->where) left.push_back(r->where);
    all_.retire(*r);
  }
  if (why.why != cause::reservation_used) claims.forget(claimant);
  claims.keep_for(claimant);
  for (node *n : left) reopen(*n);
  lines.line_up_gang(app);
}

void reservations::end(reservation &r, const reason &why) {
  ask &a = *r.of;
  if (a.line == ask_line::reserved || r.by_order) lines.dequeue(a);
  changes.apply(reservation_ended{r, why});
  r.stands_aside = r.by_order = false;
  all_.retire(r);
  if (why.why != cause::reservation_used) claims.forget(a);
  claims.keep_for(a);
}

void reservations::free_by_preemption(ask &a) {
  reservation &r = *reservation_of(a);
  if (r.way == way_to_room::it_empties) lines.dequeue(a);
  changes.apply(reservation_freed{r});
  if (a.line == ask_line::none) lines.enqueue(a);
}

void reservations::take_up(ask &a, node &n, way_to_room way) {
  const bool may =
      config.tuning.reservation_enabled || way == way_to_room::preemption || classes[a.class_id].requires_a_node();
  if (!may || !a.live || a.pending() == 0 || reservation_of(a) != nullptr) return;
  for (const std::vector<reservation *> there = *n.reservations; reservation * r : there) {
    const bool gives_way = r->live && r->way != way_to_room::preemption && !classes[r->of->class_id].requires_a_node();
    if (way == way_to_room::preemption && gives_way) lose(*r, {cause::preempted_there, a.key});
  }
  if (n.reservations->empty()) reserve(a, n, way);
}

void reservations::unreserve(reservation &r, const reason &why) {
  if (r.of_gang) return end_of_gang(*r.of->owner, &r, why);
  end(r, why);
  if (r.of->line == ask_line::none) lines.enqueue(*r.of);
  reopen(*r.where);
}

node *reservations::use(ask &a) {
  if (has_one_of_gang(a)) end_of_gang(*a.owner, {cause::reservation_used});
  reservation *r = reservation_of(a);
  if (r == nullptr) return nullptr;
  end(*r, {cause::reservation_used});
  return r->where;
}

void reservations::drop(ask &a) {
  if (has_one_of_gang(a)) end_of_gang(*a.owner, {cause::ask_gone});
  if (reservation *r = reservation_of(a)) unreserve(*r, {cause::ask_gone});
}

void reservations::drop_all(application &app) {
  while (!app.reservations->empty()) drop(*app.reservations->front()->of);
}

void reservations::switch_off() {
  for (reservation *r : without_required_node()) {
    if (r->live && r->way != way_to_room::preemption) unreserve(*r, {cause::reservations_off});
  }
}

void reservations::end_of_gangs_that_do_not_wait() {
  for (reservation *r : without_required_node()) {
    const bool stays = !r->of_gang || waits_to_begin(*r->of->owner, classes);
    if (r->live && !stays) unreserve(*r, {cause::may_not_run});
  }
}

void reservations::end_too_many(const reserved_line &line) {
  const std::vector<reservation *> all = without_required_node();
  for (auto r = all.rbegin(); r != all.rend(); ++r) {
    const bool too_many = line.reserved_nodes_of(*(*r)->of->owner) > line.most_nodes();
    if (too_many && (*r)->way != way_to_room::preemption) unreserve(**r, {cause::too_many_reserved});
  }
}

int64_t reservations::need_below(const queue &q, type_index type) const {
  int64_t out = 0;
  for (uint32_t i = 0; i < all_.extent(); ++i) {
    const reservation &r = all_[i];
    if (!r.live || r.way == way_to_room::preemption || !lies_below(*r.of->owner->home, q)) continue;
    const ask_class &c = classes[r.of->class_id];
    if (!c.requires_a_node()) out = add_saturating(out, c.need[type]);
  }
  return out;
}

// The oldest first.
std::vector<reservation *> reservations::without_required_node() {
  std::vector<reservation *> out;
  for (uint32_t i = 0; i < all_.extent(); ++i) {
    reservation &r = all_[i];
    if (r.live && !classes[r.of->class_id].requires_a_node()) out.push_back(&r);
  }
  std::sort(out.begin(), out.end(),
            [](const reservation *x, const reservation *y) { return x->sequence < y->sequence; });
  return out;
}

void reservations::reopen(node &n) { changes.apply(node_reopened{n, access.keeps_others_out(n)}); }

void reservations::is_due(const timer &t) {
  reservation &r = all_[t.object];
  if (classes[r.of->class_id].requires_a_node()) return look_again(r);
  const bool at_once = r.way == way_to_room::it_empties;
  lose(r, {cause::waited_too_long}, at_once ? 0 : config.tuning.reservation_delay_ms);
}

// It keeps its node, and waits no more for what did not end there in time.
void reservations::look_again(const reservation &r) {
  ask &a = *r.of;
  node &n = *r.where;
  const int64_t victims_have_ms = a.wait->preempt_from_ms;
  arm(r, victims_have_ms > clock.now_ms() ? victims_have_ms : wait_ends_ms());
  const bool some_end =
      std::any_of(n.allocations.begin(), n.allocations.end(), [](const auto *x) { return is_ending(*x); });
  if (victims_have_ms > clock.now_ms() || !some_end) return;
  a.wait->reserve_from_ms = clock.now_ms();
  claims.forget(a);
  reopen(n);
}

void reservations::lose(reservation &r, const reason &why) { lose(r, why, config.tuning.reservation_delay_ms); }

void reservations::lose(reservation &r, const reason &why, int64_t delay_ms) {
  for (reservation *other : *r.of->owner->reservations) {
    const bool ends = other == &r || (r.of_gang && other->of_gang);
    if (ends) other->of->wait->reserve_from_ms = add_saturating(clock.now_ms(), delay_ms);
  }
  unreserve(r, why);
}

bool reservations::is_void(const timer &t) const { return !all_[t.object].live || all_[t.object].sequence != t.epoch; }

}  // namespace tenon::internal
