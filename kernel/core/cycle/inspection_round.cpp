// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/inspection_round.hpp"

#include <algorithm>
#include <utility>

#include "model/gang_reservations.hpp"

namespace tenon::internal {

inspection_round::inspection_round(const saved_inspection &from)
    : leaves(from.leaves),
      at{from.submission, {}, from.application},
      first_of(from.first_of),
      first_key(from.first_key) {
  if (from.is_within) at.within = {from.priority, from.create_time_ms, from.arrival};
  for (const saved_inspection::limit &one : from.taken) taken[{one.queue, one.user, one.group}] = one.amounts;
}

saved_inspection inspection_round::saved() const {
  saved_inspection out;
  out.leaves = leaves;
  out.submission = at.submission;
  out.application = at.application;
  out.is_within = at.within.has_value();
  out.first_of = first_of;
  out.first_key = first_key;
  if (at.within) {
    out.priority = at.within->priority;
    out.create_time_ms = at.within->create_time_ms;
    out.arrival = at.within->arrival;
  }
  for (const auto &[of, amounts] : taken) out.taken.push_back({of.queue, of.user, of.group, amounts});
  return out;
}

resources inspection_round::taken_within(const limit_name &of, const resource_types &types) const {
  resources out;
  const auto found = taken.find(of);
  if (found == taken.end()) return out;
  for (const auto &[name, amount] : found->second) {
    if (const type_index t = types.find(name); t != no_type) out.set(t, amount);
  }
  return out;
}

std::vector<ask *> asks_behind(const application &app, const std::optional<ask_place> &after, size_t most,
                               bool stopped) {
  struct rest {
    decltype(std::declval<const ask_run &>().begin()) next, end;
  };
  std::vector<rest> rests;
  const auto add = [&](const ask_run &run) {
    const auto is_before = [](const ask_place &place, const ask *a) { return tried_before(place, *a); };
    const auto next = after ? std::upper_bound(run.begin(), run.end(), *after, is_before) : run.begin();
    if (next != run.end()) rests.push_back({next, run.end()});
  };
  for (const app_class *group : app.classes) add(group->run);
  add(app.refused);
  if (stopped) {
    for (const auto &[name, group] : app.task_groups) add(group.waiting);
  }
  const auto is_later = [](const rest &x, const rest &y) { return tried_before(**y.next, **x.next); };
  std::make_heap(rests.begin(), rests.end(), is_later);
  std::vector<ask *> out;
  while (!rests.empty() && out.size() < most) {
    std::pop_heap(rests.begin(), rests.end(), is_later);
    rest &first = rests.back();
    ask &a = **first.next;
    if (reservation_of(a) == nullptr && !is_held_with_gang(a) && (stopped || !waits_for_placeholders(a)))
      out.push_back(&a);
    if (++first.next == first.end) {
      rests.pop_back();
    } else {
      std::push_heap(rests.begin(), rests.end(), is_later);
    }
  }
  return out;
}

}  // namespace tenon::internal
