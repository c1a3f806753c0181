// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What pending asks wait for: the inspect command.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::naive {

std::string partition::waits_for(const application &a, const ask &k, const usage &used, const usage &wanted) {
  if (!within_limits(a, k, wanted)) return messages::container_skipped();
  if (!within_max(a, k, wanted)) {
    if (!order_here.is_one_first) wait_first(a, k);
    return messages::container_skipped();
  }
  const bool has_place = choose_node(a, k, used) != nullptr;
  return has_place || !k.required_node.empty() ? std::string() : messages::container_failed();
}

std::map<uint64_t, std::string> partition::gang_waits_for(application &a, inspection &part) {
  std::map<uint64_t, std::string> out;  // by arrival
  usage with_gang = part.wanted, on_nodes = part.used;
  bool within = has_come(a), one_failed = false;
  const auto each_placeholder = [&](const auto &what) {
    for (ask *k : sorted_asks(a)) {
      for (int32_t i = 0; k->placeholder && i < k->pending(); ++i) what(*k);
    }
  };
  each_placeholder([&](const ask &k) {
    within = within && within_limits(a, k, with_gang) && within_max(a, k, with_gang);
    count(a, k, with_gang);
  });
  bool all_placed = within;
  std::set<uint64_t> nowhere;
  each_placeholder([&](const ask &k) {
    const node *n = nullptr;
    if (within) n = k.required_node.empty() ? choose_node(a, k, on_nodes) : required_node_now(a, k, on_nodes);
    if (n == nullptr) {
      nowhere.insert(k.arrival);
      all_placed = false;
    } else {
      put_on(k, *n, k.required_node.empty() ? chosen_by_order(a, k, *n, on_nodes) : detail_map(), on_nodes);
    }
  });
  each_placeholder([&](const ask &k) {
    const bool fails = within && nowhere.contains(k.arrival) && k.required_node.empty();
    one_failed |= fails;
    out[k.arrival] = all_placed ? std::string() : fails ? messages::container_failed() : messages::container_skipped();
  });
  if (one_failed) each_placeholder([&](const ask &k) { count_failed(a, k, part); });
  return out;
}

void partition::count(const application &a, const ask &k, usage &in) const {
  const std::string group = group_of(a);
  for (const std::string &path : path_down(a.queue)) {
    add(in.queues[path].allocated, k.resources);
    add(in.users[a.user][path].allocated, k.resources);
    if (!group.empty()) add(in.groups[group][path].allocated, k.resources);
  }
}

void partition::count_failed(const application &a, const ask &k, inspection &part) {
  count(a, k, part.wanted);
  const std::string group = group_of(a);
  for (const std::string &path : path_down(a.queue)) {
    const queue &q = *find_queue(path);
    const auto is_limited = [](const limit_config *l) { return l != nullptr && !l->max_resources.empty(); };
    if (!q.max.empty()) add(inspected.taken.queues[path].allocated, k.resources);
    if (is_limited(user_limit(q, a.user))) add(inspected.taken.users[a.user][path].allocated, k.resources);
    if (!group.empty() && is_limited(group_limit(q, group)))
      add(inspected.taken.groups[group][path].allocated, k.resources);
  }
}

void partition::say_state(const application &a, ask &k, const std::string &state_now) {
  if (state_now.empty() || state_now == k.told) return;
  k.told = state_now;
  decision &d = emit(decision_kind::container_state, a.id, k.key);
  d.queue = a.queue;
  d.placeholder = k.placeholder;
  d.text = state_now;
}

std::optional<ask> partition::inspect_application(application &a, inspection &part, const std::optional<ask> &after,
                                                  uint64_t most) {
  const bool stopped = state == object_state::stopped || in_stopped_queue(a);
  std::optional<std::map<uint64_t, std::string>> of_gang;
  uint64_t looked_at = 0;
  for (ask *k : sorted_asks(a)) {
    const bool is_held_with_gang = k->placeholder && !reservations_of_gang(a).empty();
    if (is_held_with_gang || reservation_of(*k) != nullptr || (!stopped && waits_for_placeholders(a, *k))) continue;
    if (after && !tried_before(*after, *k)) continue;
    if (stopped || !may_run(a, part.used) || is_kept_back(a, *k, part.wanted)) {
      say_state(a, *k, messages::container_skipped());
    } else if (shared.has.gangs && k->placeholder && waits_to_begin(a)) {
      if (!of_gang && !order_here.is_one_first && whole_lacks(a, *k, part.wanted) == lack::headroom) wait_first(a, *k);
      if (!of_gang) of_gang = gang_waits_for(a, part);
      say_state(a, *k, of_gang->at(k->arrival));
    } else {
      const std::string state_now = waits_for(a, *k, part.used, part.wanted);
      for (int32_t i = 0; state_now == messages::container_failed() && i < k->pending(); ++i) {
        if (within_limits(a, *k, part.wanted) && within_max(a, *k, part.wanted)) count_failed(a, *k, part);
      }
      say_state(a, *k, state_now);
    }
    if (++looked_at == most) return *k;
  }
  return std::nullopt;
}

// False: the part is full.
bool partition::inspect_leaf(const queue &leaf, inspection &part) {
  const bool all = state == object_state::stopped || is_stopped(leaf.path);
  const auto in_order = sorted_applications(leaf, all);
  const auto has_turn = [&](const application &a) {
    return std::find(in_order.begin(), in_order.end(), &a) != in_order.end();
  };
  const auto size_of = [](application &a) { return 1 + sorted_asks(a).size(); };
  const uint64_t room = part.room, began_after = inspected.submission;
  std::set<const application *> some;
  // In the middle of an application nothing of a smaller number is left: what moved here since waits for the next
  // round.
  const uint64_t done = inspected.within ? inspected.application - 1 : inspected.submission;
  for (const auto &a : applications) {
    if (a->queue != leaf.path || a->submission <= done) continue;
    const bool goes_on = inspected.within && inspected.application == a->submission;
    const bool alone = goes_on || size_of(*a) > part.most;
    if (!some.empty() && (alone || size_of(*a) > part.room)) {
      if (began_after == 0 && room < part.most) return inspected.submission = 0, false;
      for (application *one : in_order) {
        if (some.contains(one)) (void)inspect_application(*one, part);
      }
      return false;
    }
    if (alone || size_of(*a) > part.room) {
      if (part.room < part.most) return false;
      const auto after = goes_on ? inspected.within : std::nullopt;
      const uint64_t most = shared.has.gangs && waits_to_begin(*a) ? UINT64_MAX : part.most;
      inspected.within = has_turn(*a) ? inspect_application(*a, part, after, most) : std::nullopt;
      inspected.application = a->submission;
      if (!inspected.within) inspected.submission = a->submission;
      return false;
    }
    some.insert(a.get());
    part.room -= size_of(*a);
    inspected.submission = a->submission;
    inspected.within.reset();  // that application is gone
  }
  for (application *one : in_order) {
    if (some.contains(one)) (void)inspect_application(*one, part);
  }
  return true;
}

void partition::inspect(uint32_t most) {
  const rm_check check = std::exchange(shared.check, {});  // the resource manager is not asked
  const auto refusals = std::exchange(refused, {});
  inspects = true;
  if (most == 0) inspected = {};
  const usage used = measure();
  inspection part{most == 0 ? UINT64_MAX : most, most == 0 ? UINT64_MAX : most, used, used};
  const auto add_all = [](std::map<std::string, tally> &to, const std::map<std::string, tally> &more) {
    for (const auto &[path, of] : more) add(to[path].allocated, of.allocated);
  };
  add_all(part.wanted.queues, inspected.taken.queues);
  for (const auto &[user, by_path] : inspected.taken.users) add_all(part.wanted.users[user], by_path);
  for (const auto &[group, by_path] : inspected.taken.groups) add_all(part.wanted.groups[group], by_path);
  const auto collect = [&](const auto &self, const queue &q) -> void {
    if (q.leaf) return inspected.leaves.push_back(q.path);
    for (const queue *child : sorted_children(q, used, true)) self(self, *child);
  };
  if (inspected.leaves.empty()) collect(collect, *find_queue("root"));
  bool is_full = false;
  for (bool begins = true; !inspected.leaves.empty() && !is_full; begins = false) {
    const queue *leaf = find_queue(inspected.leaves.front());
    order_here = {};
    for (const auto &a : applications) {
      if (!begins || !inspected.first || leaf == nullptr || a->queue != leaf->path) continue;
      for (const ask &k : a->asks) {
        if (std::pair(a->submission, k.key) == *inspected.first && k.pending() > 0) wait_first(*a, k);
      }
    }
    is_full = leaf != nullptr && leaf->leaf && !inspect_leaf(*leaf, part);
    if (is_full) break;
    inspected.leaves.pop_front();
    inspected.submission = 0;
    inspected.within.reset();
  }
  inspected.first.reset();
  if (order_here.is_one_first) inspected.first = order_here.first;
  if (!is_full) inspected = {};
  shared.check = check;
  refused = refusals;
  inspects = false;
}

}  // namespace tenon::naive
