// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Facts about what waits: told where an inspection finds that they changed, or when what waited goes on.
#include <algorithm>
#include <map>

#include "partition.hpp"

namespace tenon::internal {
namespace {

constexpr int64_t quiet_ms = 15'000;  // an ask says no oftener why no node will do

// Which limits the listener knows an ask to be over.
constexpr uint8_t beyond_queue = 1, beyond_quota = 2;
// Why the listener knows an application to be held.
constexpr uint8_t held_by_queue = 1, held_by_quota = 2;

}  // namespace

void partition::tell_over(ask &a, uint8_t which, const resources *available) {
  a.told_over ^= which;
  const bool over = (a.told_over & which) != 0;
  const fact_kind kind = which == beyond_queue ? (over ? fact_kind::ask_over_queue : fact_kind::ask_fits_queue)
                                               : (over ? fact_kind::ask_over_quota : fact_kind::ask_fits_quota);
  fact out = fact_of(kind, a);
  out.available = over ? available : nullptr;
  tell(out);
}

// It is over a limit now, or not any more.
void partition::tell_limits_of(ask &a) {
  if (!listened()) return;
  ask_class &c = classes[a.class_id];
  type_index type = no_type;
  const usage_node *quota = limits.blocking(*a.owner, c, type);
  if ((quota != nullptr) != ((a.told_over & beyond_quota) != 0)) {
    resources left;
    if (quota != nullptr)
      for_each_type(quota->max, [&](type_index t, int64_t max) { left.set(t, sub_saturating(max, quota->usage[t])); });
    tell_over(a, beyond_quota, &left);
  }
  if (quota != nullptr) return;
  const queue *full = blocking_queue(*a.owner->home, c, type);
  if ((full != nullptr) == ((a.told_over & beyond_queue) != 0)) return;
  resources left;
  if (full != nullptr) {
    const resources &max = full->parent == nullptr ? total : full->max;
    for_each_type(max, [&](type_index t, int64_t amount) { left.set(t, sub_saturating(amount, full->allocated[t])); });
  }
  tell_over(a, beyond_queue, &left);
}

// It is placed: nothing holds it.
void partition::tell_fits(ask &a) {
  if (!listened()) return;
  for (const uint8_t which : {beyond_quota, beyond_queue}) {
    if ((a.told_over & which) != 0) tell_over(a, which, nullptr);
  }
}

void partition::tell_held(application &app, bool by_queue, bool by_quota) {
  if (!listened()) return;
  const uint8_t now = by_queue ? held_by_queue : by_quota ? held_by_quota : 0;
  if (app.told_held == now) return;
  const uint8_t before = std::exchange(app.told_held, now);
  if (before != 0) tell_application(fact_kind::application_freed, app, {}, before == held_by_quota);
  if (now != 0) tell_application(fact_kind::application_held, app, {}, now == held_by_quota);
}

// Of the nodes that have room for it, none passes the predicates: why, as far as they were asked.
void partition::tell_unschedulable(ask &a) {
  const ask_class &c = classes[a.class_id];
  if (!listened() || c.judged == nullptr || shared.now_ms - quiet_ms < a.told_at_ms) return;
  const verdict_set &judged = *c.judged;
  std::map<std::string, uint64_t> nodes_by_reason;
  for (uint32_t slot = 0; slot < std::min<size_t>(judged.verdicts.size(), nodes.slots()); ++slot) {
    const node *n = nodes.at(slot);
    if (n == nullptr || !n->schedulable() || !nodes.holds(c, slot)) continue;
    if (judged.verdicts[slot] == verdict_set::pass) return;
    if (judged.verdicts[slot] != verdict_set::unknown) ++nodes_by_reason[verdicts.reason_of(c, slot)];
  }
  if (nodes_by_reason.empty()) return;
  std::string text;
  for (const auto &[reason, count] : nodes_by_reason) {
    text += (text.empty() ? "" : "; ") + reason + " (" + std::to_string(count) + "x)";
  }
  a.told_at_ms = shared.now_ms;
  fact out = fact_of(fact_kind::ask_unschedulable, a);
  out.text = text;
  tell(out);
}

void partition::tell_without_victims(ask &a, const node &n) {
  if (!listened() || shared.now_ms - quiet_ms < a.told_at_ms) return;
  a.told_at_ms = shared.now_ms;
  fact out = fact_of(fact_kind::ask_without_victims, a);
  out.node = n.id;
  tell(out);
}

}  // namespace tenon::internal
