// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Scores: the order of the nodes for one ask, where the node order has `score`. Asks whose order could differ are of
// different classes, so that a class has one order.
#include <algorithm>

#include "base/kept_sizes.hpp"
#include "partition.hpp"

namespace tenon::internal {

namespace {

// Of applications. Past it all are made anew as they are wanted.
constexpr size_t orders_kept = 64;

}  // namespace

node_order *partition::order_for(const ask_class &c, const application &app) {
  node_sorting &by = sortings.of(app);
  const sort_policy &policy = *by.policy;
  if (policy.scores()) {
    const bool counts = !policy.counts_by.empty();
    const std::pair key{c.id, counts ? app.submission : 0};
    if (counts && by.scored.size() >= orders_kept && !by.scored.contains(key)) by.scored.clear();
    auto &slot = by.scored[key];
    if (slot == nullptr) {
      static const score_facts nothing;
      const score_facts &read = c.scored != nullptr ? *c.scored : nothing;
      const ask_facts about{c.need, read.priority, read.tags, &c.devices};
      slot.reset(new node_sorting::score_order{{}, about, node_order(nodes, *by.policy)});
      if (counts) slot->facts.counts = &slot->counts;
      slot->order.score_for(slot->facts);
    }
    if (counts) count_for_score(app, policy, *slot);
    if (slot->order.refresh(contexts.now())) return &slot->order;
  } else if (by.order->refresh(contexts.now())) {
    return by.order.get();
  }
  faults.failed(*by.policy);
  return by.order->refresh(contexts.now()) ? by.order.get() : nullptr;
}

// Nodes of groups whose count changed get new scores.
void partition::count_for_score(const application &app, const sort_policy &policy, node_sorting::score_order &scored) {
  scored.counts.resize(policy.counts_by.size());
  for (size_t i = 0; i < scored.counts.size(); ++i) {
    const node_table::grouping &same = nodes.groups_by(policy.counts_by[i]);
    std::vector<int64_t> now(same.count());
    for (const allocation *a : app.allocations) ++now[same.of[a->where->slot]];
    scored.counts[i].resize(now.size());
    if (now == scored.counts[i]) continue;
    for (uint32_t slot = 0; slot < nodes.slots(); ++slot) {
      const uint32_t group = same.of[slot];
      if (nodes.at(slot) != nullptr && now[group] != scored.counts[i][group]) scored.order.touch(slot);
    }
    scored.counts[i] = std::move(now);
  }
}

const score_facts *partition::facts_for_score(const ask &a) {
  const sort_policy &policy = *sortings.of(*a.owner).policy;
  if (!policy.score_reads_ask()) return nullptr;
  score_facts about;
  if (policy.reads_ask_priority) about.priority = a.priority;
  const auto &wanted = policy.ask_tags;
  for (const auto &tag : a.tags) {
    const bool read = policy.reads_ask_tags || std::find(wanted.begin(), wanted.end(), tag.first) != wanted.end();
    if (read) about.tags.push_back(tag);
  }
  const auto [known, made] = known_facts.insert(std::move(about));
  if (made) keeps.add_bytes(ask_class_size + size_of_pairs(known->tags));
  return &*known;
}

void partition::classify_for_score() {
  last_class = nullptr;
  for (uint32_t i = 0; i < asks.extent(); ++i) {
    ask &a = asks[i];
    if (!a.live) continue;
    const ask_class &old = classes[a.class_id];
    const score_facts *scored = facts_for_score(a);
    if (scored == old.scored) continue;
    const bool queued = a.line != ask_line::none && a.line != ask_line::aside;
    if (queued) lines.dequeue(a);
    const class_key key{old.need, old.required_node, old.timeout_ms, old.judged, scored, old.devices};
    a.class_id = class_of(key).id;
    if (queued) lines.enqueue(a);
  }
}

}  // namespace tenon::internal
