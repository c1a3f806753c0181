// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "lifecycle/ask_classifier.hpp"

#include <algorithm>
#include <utility>

#include "base/kept_sizes.hpp"
#include "ledger/kept_counts.hpp"
#include "policies/node_sorting.hpp"
#include "ready/ask_lines.hpp"
#include "rules/node_verdicts.hpp"

namespace tenon::internal {

ask_class &ask_classifier::classify(std::string_view required_node, const ask &a, const resources &need,
                                    std::vector<class_devices> devices) {
  // Asks come in rows of equals: the class of the last one often serves.
  const int64_t timeout_ms = config.tuning.reservation_backfill ? a.execution_timeout_ms : 0;
  const bool alike = last_class_ != nullptr && last_class_->need == need &&
                     last_class_->required_node == required_node && last_class_->timeout_ms == timeout_ms &&
                     last_class_->devices == devices;
  const node_sorting &by = sortings.of(*a.owner);
  if (alike && last_sorting_ == &by &&
      ((verdicts.predicates().empty() && !by.policy->score_reads_ask()) ||
       (last_class_shared_ && last_priority_ == a.priority && last_tags_ == a.tags))) {
    return *last_class_;
  }
  last_sorting_ = &by;
  class_key key{need, std::string(required_node), timeout_ms, nullptr, facts_for_score(a), std::move(devices)};
  key.judged = verdicts.set_for(a, need, last_class_shared_);
  last_class_ = &class_of(key);
  last_priority_ = a.priority;
  last_tags_ = a.tags;
  return *last_class_;
}

ask_class &ask_classifier::plain_class(const resources &need, std::vector<class_devices> devices) {
  return class_of(class_key{need, {}, 0, nullptr, nullptr, std::move(devices)});
}

ask_class &ask_classifier::class_of(const class_key &key) {
  bool made = false;
  ask_class &out = classes.intern(key, made);
  if (made) keeps.add_bytes(ask_class_size + 2 * out.required_node.size());
  return out;
}

const score_facts *ask_classifier::facts_for_score(const ask &a) {
  const sort_policy &policy = *sortings.of(*a.owner).policy;
  if (!policy.score_reads_ask()) return nullptr;
  score_facts about;
  if (policy.reads_ask_priority) about.priority = a.priority;
  const auto &wanted = policy.ask_tags;
  for (const auto &tag : a.tags) {
    const bool read = policy.reads_ask_tags || std::find(wanted.begin(), wanted.end(), tag.first) != wanted.end();
    if (read) about.tags.push_back(tag);
  }
  const auto [known, made] = known_facts_.insert(std::move(about));
  if (made) keeps.add_bytes(ask_class_size + size_of_pairs(known->tags));
  return &*known;
}

// The node order changed: asks may be of other classes now.
void ask_classifier::score_changed() {
  last_class_ = nullptr;
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

void ask_classifier::reclassify(ask &a) {
  const ask_class before = classes[a.class_id];
  lines.dequeue(a);
  a.class_id = classify(before.required_node, a, before.need, before.devices).id;
  lines.enqueue(a);
}

}  // namespace tenon::internal
