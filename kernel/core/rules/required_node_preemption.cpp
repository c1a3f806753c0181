// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/required_node_preemption.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "model/free_devices.hpp"
#include "model/node_table.hpp"
#include "model/victims.hpp"
#include "outbound/fact_teller.hpp"
#include "rules/claims.hpp"
#include "rules/needed_victims.hpp"
#include "rules/placement_checks.hpp"
#include "rules/reservations.hpp"

namespace tenon::internal {

namespace {

// What asks lack together on a node, less what was given back there.
class lack {
 public:
  lack(const required_node_preemption_access &all, const node &n, const ask_class &first) : all_(all), first_(first) {
    const int64_t *free = all_.nodes.free(n.slot);
    for (size_t t = 0; t < all_.nodes.stride(); ++t) missing_.push_back(sub_saturating(0, free[t]));
    devices_.start(all_.nodes.devices().of(n.slot), first.types);
    cover(first);
  }

  // What another ask needs is not there for these.
  void count(const ask_class &c) {
    for (const class_amount &p : c.positive) missing_[p.type] = add_saturating(missing_[p.type], p.amount);
  }
  // The asks are one more.
  void cover(const ask_class &c) {
    types_ |= c.types;
    count(c);
  }
  void give(const allocation &x, int sign) {
    for_each_type(all_.classes[x.class_id].need, [&](type_index t, int64_t amount) { missing_[t] -= sign * amount; });
    if (devices_.empty() || x.devices == no_record) return;
    const held_list &held = all_.device_records[x.devices].held;
    sign > 0 ? devices_.give(held) : devices_.take(held);
  }
  [[nodiscard]] bool is_none() const {
    return devices_.fits(first_) && !any_type([&](type_index t) { return missing_[t] > 0; });
  }
  [[nodiscard]] bool is_less_with(const allocation &x) const {
    const resources &need = all_.classes[x.class_id].need;
    return any_type([&](type_index t) { return need[t] > 0 && (missing_[t] > 0 || devices_.lacks(first_, t)); });
  }

 private:
  template <class Holds>
  [[nodiscard]] bool any_type(const Holds &holds) const {
    for (type_index t = 0; t < missing_.size(); ++t) {
      if ((types_ >> t & 1) != 0 && holds(t)) return true;
    }
    return false;
  }

  const required_node_preemption_access &all_;
  const ask_class &first_;
  uint64_t types_ = 0;  // of the asks, as a mask
  std::vector<int64_t> missing_;
  free_devices devices_;
};

// It gives way to one of the asks that wait for the node.
bool is_awaited(const allocation &x) {
  return std::any_of(x.where->reservations->begin(), x.where->reservations->end(), [&](const reservation *r) {
    const auto &victims = *r->of->wait->victims;
    return std::find(victims.begin(), victims.end(), &x) != victims.end();
  });
}

bool covers(lack of, std::span<allocation *const> all) {
  for (const allocation *x : all) of.give(*x, 1);
  return of.is_none();
}

}  // namespace

void required_node_preemption::line_up(const reservation &r) { waiting_[r.sequence] = r.index; }

bool required_node_preemption::decide() {
  while (!waiting_.empty()) {
    const auto [sequence, index] = *waiting_.begin();
    waiting_.erase(waiting_.begin());
    const reservation &r = reservations.all()[index];
    const bool waits = r.live && r.sequence == sequence && r.of->line == ask_line::reserved;
    if (waits && !checks.is_refused(*r.of, *r.where) && try_on(*r.where, *r.of)) return true;
  }
  return false;
}

bool required_node_preemption::try_on(node &n, ask &a) {
  if (!config.preemption_enabled || !a.wait->victims->empty()) return false;
  lack lacking(*this, n, classes[a.class_id]);
  const auto own =
      std::find_if(n.reservations->begin(), n.reservations->end(), [&](const reservation *r) { return r->of == &a; });
  for (auto r = n.reservations->begin(); r != own; ++r) lacking.count(classes[(*r)->of->class_id]);
  std::vector<allocation *> victims;
  const bool waited = a.wait->reserve_from_ms != INT64_MIN;
  for (allocation *x : n.allocations) {
    if (is_ending(*x) && (!waited || is_awaited(*x))) lacking.give(*x, 1);
    const bool may = x->state == allocation_state::allocated && !x->bound && x->priority <= a.priority;
    if (may && !is_spared(*x->owner->home)) victims.push_back(x);
  }
  if (lacking.is_none()) return false;  // it waits for what is ending
  if (!covers(lacking, victims)) return facts.tell_without_victims(a, n), false;
  for (auto r = own + 1; r != n.reservations->end(); ++r) {
    const ask &other = *(*r)->of;
    if (other.priority < a.priority || waits_for_placeholders(other) || checks.is_refused(other, n)) continue;
    lack together = lacking;
    together.cover(classes[other.class_id]);
    if (covers(together, victims)) lacking.cover(classes[other.class_id]);
  }
  std::erase_if(victims, [&](const allocation *x) { return !lacking.is_less_with(*x); });
  sort_victims(victims);
  // Those that opted out come last, so that they are reached only where the others are not enough.
  std::vector<allocation *> needed;
  look_in_turn(
      needed, victims, [&](const allocation *) { return lacking.is_none(); },
      [&](allocation *x) {
        lacking.give(*x, 1);
        needed.push_back(x);
        return true;
      });
  keep_needed(
      needed, std::span<allocation *const>(victims), [&](const allocation *x, int sign) { lacking.give(*x, sign); },
      [](const allocation *) { return true; }, [&] { return lacking.is_none(); },
      [&](const allocation *x) { return dominant_share(classes[x->class_id].need, total); });
  a.wait->preempt_from_ms = reservations.wait_ends_ms();
  claims.take(needed, {cause::preempted_for_daemon, a.key}, &a);
  return true;
}

}  // namespace tenon::internal
