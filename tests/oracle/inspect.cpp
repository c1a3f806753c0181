// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What pending asks wait for: the inspect command.
#include <utility>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::naive {

std::string partition::waits_for(const application &a, const ask &k, const usage &used, const usage &wanted) {
  if (in_stopped_queue(a) || !may_run(a, used) || !within_limits(a, k, wanted) || !within_max(a, k, wanted)) {
    return messages::container_skipped();
  }
  const bool has_place = choose_node(a, k, used) != nullptr;
  return has_place || !k.required_node.empty() ? std::string() : messages::container_failed();
}

void partition::inspect() {
  const rm_check check = std::exchange(shared.check, {});  // the resource manager is not asked
  const auto refusals = std::exchange(refused, {});
  inspects = true;
  const usage used = measure();
  usage wanted = used;  // and what is FAILED
  const auto count = [&](const application &a, const ask &k) {
    const std::string group = group_of(a);
    for (const std::string &path : path_down(a.queue)) {
      add(wanted.queues[path].allocated, k.resources);
      add(wanted.users[a.user][path].allocated, k.resources);
      if (!group.empty()) add(wanted.groups[group][path].allocated, k.resources);
    }
  };
  const auto look_at = [&](application &a, ask &k) {
    if (reservation_of(k) != nullptr || waits_for_placeholders(a, k)) return;
    const std::string state_now = waits_for(a, k, used, wanted);
    if (state_now == messages::container_failed()) {
      for (int32_t i = 0; i < k.pending() && within_limits(a, k, wanted) && within_max(a, k, wanted); ++i) count(a, k);
    }
    if (state_now.empty() || state_now == k.told) return;
    k.told = state_now;
    decision &d = emit(decision_kind::container_state, a.id, k.key);
    d.queue = a.queue;
    d.placeholder = k.placeholder;
    d.text = state_now;
  };
  const auto walk = [&](const auto &self, const queue &q) -> void {
    for (const queue *child : q.leaf ? std::vector<const queue *>() : sorted_children(q, used, true))
      self(self, *child);
    for (application *a : q.leaf ? sorted_applications(q) : std::vector<application *>()) {
      for (ask *k : sorted_asks(*a)) look_at(*a, *k);
    }
  };
  walk(walk, *find_queue("root"));
  shared.check = check;
  refused = refusals;
  inspects = false;
}

}  // namespace tenon::naive
