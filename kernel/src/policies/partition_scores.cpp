// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Scores: asks whose order of the nodes could differ, where the node order has `score`, are of different classes, so
// that a class has one order.
#include <algorithm>

#include "base/kept_sizes.hpp"
#include "partition.hpp"

namespace tenon::internal {

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
    const bool queued = a.line != ask_line::none && a.line != ask_line::refused;
    if (queued) lines.dequeue(a);
    const class_key key{old.need, old.required_node, old.timeout_ms, old.judged, scored, old.devices};
    a.class_id = class_of(key).id;
    if (queued) lines.enqueue(a);
  }
}

}  // namespace tenon::internal
