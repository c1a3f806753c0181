// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What pending asks wait for: the inspect command.
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

std::map<uint64_t, std::string> partition::gang_waits_for(application &a, const usage &used, usage &wanted) {
  std::map<uint64_t, std::string> out;  // by arrival
  usage with_gang = wanted, on_nodes = used;
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
      put_on(a, k, *n, on_nodes);
    }
  });
  each_placeholder([&](const ask &k) {
    const bool fails = within && nowhere.contains(k.arrival) && k.required_node.empty();
    one_failed |= fails;
    out[k.arrival] = all_placed ? std::string() : fails ? messages::container_failed() : messages::container_skipped();
  });
  if (one_failed) wanted = with_gang;
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

void partition::inspect() {
  const rm_check check = std::exchange(shared.check, {});  // the resource manager is not asked
  const auto refusals = std::exchange(refused, {});
  inspects = true;
  const usage used = measure();
  usage wanted = used;  // and what is FAILED
  const auto say = [&](const application &a, ask &k, const std::string &state_now) {
    if (state_now.empty() || state_now == k.told) return;
    k.told = state_now;
    decision &d = emit(decision_kind::container_state, a.id, k.key);
    d.queue = a.queue;
    d.placeholder = k.placeholder;
    d.text = state_now;
  };
  const auto look_at = [&](application &a) {
    const bool stopped = state == object_state::stopped || in_stopped_queue(a);
    std::optional<std::map<uint64_t, std::string>> of_gang;
    for (ask *k : sorted_asks(a)) {
      if (reservation_of(*k) != nullptr || (!stopped && waits_for_placeholders(a, *k))) continue;
      if (stopped || !may_run(a, used) || is_kept_back(a, *k, wanted)) {
        say(a, *k, messages::container_skipped());
      } else if (shared.has.gangs && k->placeholder && waits_to_begin(a)) {
        if (!of_gang) of_gang = gang_waits_for(a, used, wanted);
        say(a, *k, of_gang->at(k->arrival));
      } else {
        const std::string state_now = waits_for(a, *k, used, wanted);
        for (int32_t i = 0; state_now == messages::container_failed() && i < k->pending(); ++i) {
          if (within_limits(a, *k, wanted) && within_max(a, *k, wanted)) count(a, *k, wanted);
        }
        say(a, *k, state_now);
      }
    }
  };
  const auto walk = [&](const auto &self, const queue &q) -> void {
    if (q.leaf) {
      order_here = {};
      const bool all = state == object_state::stopped || is_stopped(q.path);
      for (application *a : sorted_applications(q, all)) look_at(*a);
    } else {
      for (const queue *child : sorted_children(q, used, true)) self(self, *child);
    }
  };
  walk(walk, *find_queue("root"));
  shared.check = check;
  refused = refusals;
  inspects = false;
}

}  // namespace tenon::naive
