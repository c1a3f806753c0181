// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications moved to another queue: docs/decisions.md, section 3.
#include <algorithm>

#include "partition.hpp"

namespace tenon::naive {
namespace {

bool is_on(const std::string &path, const std::string &leaf) {
  const std::vector<std::string> down = path_down(leaf);
  return std::find(down.begin(), down.end(), path) != down.end();
}

amount_map use_of(const application &a) {
  amount_map out;
  for (const allocation &x : a.allocations) add(out, x.resources);
  return out;
}

}  // namespace

void partition::move_application(const tenon::move_application &c) {
  application *a = find_application(c.application);
  if (a == nullptr || !may_move(*a, std::string(c.queue))) return;
  const bool before = has_canary(*a);
  a->queue = c.queue;
  if (has_canary(*a) == before) return;
  std::vector<ask *> all;
  for (ask &k : a->asks) all.push_back(&k);
  std::sort(all.begin(), all.end(), [](const ask *x, const ask *y) { return x->arrival < y->arrival; });
  for (ask *k : all) judge_by_canary(*a, *k);
}

bool partition::may_move(const application &a, const std::string &to) const {
  if (a.state == application_state::completing || a.state == application_state::failing) return false;
  const queue *target = find_queue(to);
  if (target == nullptr || !target->leaf || to == a.queue || !may_submit(a, to)) return false;
  for (const std::string &path : path_down(to)) {
    if (find_queue(path)->state != object_state::active) return false;
  }
  application moved = a;
  moved.queue = to;
  if (!gang_problem(*this, moved).empty()) return false;
  const amount_map most = max_on_path(to);
  const bool fit = std::all_of(a.asks.begin(), a.asks.end(),
                               [&](const ask &k) { return k.pending() == 0 || fits_limit(most, {}, k.resources); });
  if (!fit) return false;
  const usage used = measure();
  for (const std::string &path : path_down(to)) {
    if (is_on(path, a.queue)) continue;
    const queue &q = *find_queue(path);
    if (!fits_limit(q.max, used.of_queue(path).allocated, use_of(a))) return false;
    if (a.counts_in_queues() && q.max_applications != 0 && used.of_queue(path).counted >= q.max_applications)
      return false;
  }
  return is_within_limits_at(moved, a);
}

bool partition::is_within_limits_at(const application &moved, const application &before) const {
  usage used = measure();
  const std::string group = group_of(moved);
  const bool same_group = group == group_of(before);
  const auto within = [&](const limit_config *limit, const tally &has) {
    if (limit == nullptr) return true;
    if (!fits_limit(limit->max_resources, has.allocated, use_of(moved))) return false;
    return !moved.runs_for_user() || limit->max_applications == 0 || has.for_user < limit->max_applications;
  };
  for (const std::string &path : path_down(moved.queue)) {
    const queue &q = *find_queue(path);
    const bool on_both = is_on(path, before.queue);
    if (!on_both && !within(user_limit(q, moved.user), used.users[moved.user][path])) return false;
    if (group.empty() || (on_both && same_group)) continue;
    if (!within(group_limit(q, group), used.groups[group][path])) return false;
  }
  return true;
}

}  // namespace tenon::naive
