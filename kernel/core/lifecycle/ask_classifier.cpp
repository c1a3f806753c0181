// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "lifecycle/ask_classifier.hpp"

#include <algorithm>
#include <utility>

#include "base/kept_sizes.hpp"
#include "policies/node_sorting.hpp"
#include "queueing/ask_lines.hpp"
#include "rules/node_verdicts.hpp"

namespace tenon::internal {

size_t ask_classifier::place_of(const resources &need) {
  uint64_t mixed = need.present();
  for (uint32_t t = 0; t < need.size(); ++t) mixed = (mixed ^ static_cast<uint64_t>(need[t])) * 0x9e3779b97f4a7c15;
  return mixed >> (64 - place_bits);
}

ask_class &ask_classifier::classify(std::string_view required_node, const ask &a, const resources &need,
                                    const std::vector<class_devices> &devices) {
  const int64_t timeout_ms = config.tuning.reservation_backfill ? a.execution_timeout_ms() : 0;
  classified &known = lately_[place_of(need)];
  const bool alike = known.as != nullptr && known.as->need == need && known.as->required_node == required_node &&
                     known.as->timeout_ms == timeout_ms && known.as->devices == devices;
  const node_sorting &by = sortings.of(*a.owner);
  const bool by_canary = is_judged_by_canary(a);
  const bool is_last = std::exchange(last_, &known) == &known;
  if (alike && known.sorting == &by && known.by_canary == by_canary &&
      ((verdicts.predicates().empty() && !by_canary && !by.policy->score_reads_ask()) ||
       (is_last && known.shared && known.priority == a.priority && known.tags == a.tags()))) {
    return *known.as;
  }
  known.sorting = &by;
  known.by_canary = by_canary;
  class_key key{need, std::string(required_node), timeout_ms, nullptr, facts_for_score(a), devices};
  key.judged = verdicts.set_for(a, need, known.shared);
  if (by_canary) key.judged = verdicts.canary_set_for(a, need, key.judged, known.shared);
  known.as = &class_of(key);
  known.priority = a.priority;
  known.tags = a.tags();
  return *known.as;
}

bool ask_classifier::is_judged_by_canary(const ask &a) const {
  return a.owner->in_canary && verdicts.of_canary() != nullptr;
}

ask_class &ask_classifier::plain_class(const resources &need, const std::vector<class_devices> &devices) {
  ask_class *lately = lately_[place_of(need)].as;
  const bool is_plain = lately != nullptr && lately->need == need && lately->devices == devices &&
                        !lately->requires_a_node() && lately->timeout_ms == 0 && lately->judged == nullptr &&
                        lately->scored == nullptr;
  return is_plain ? *lately : class_of(class_key{need, {}, 0, nullptr, nullptr, devices});
}

ask_class &ask_classifier::copied_class(const ask_class &original, const ask &a, verdict_set *judged) {
  return class_of(
      {original.need, original.required_node, original.timeout_ms, judged, facts_for_score(a), original.devices});
}

ask_class &ask_classifier::class_of(const class_key &key) {
  bool made = false;
  ask_class &out = classes.intern(key, made);
  if (made) kept_bytes_ += ask_class_size + 2 * out.required_node.size();
  return out;
}

const score_facts *ask_classifier::facts_for_score(const ask &a) {
  const sort_policy &policy = *sortings.of(*a.owner).policy;
  if (!policy.score_reads_ask()) return nullptr;
  score_facts about;
  if (policy.reads_ask_priority) about.priority = a.priority;
  const auto &wanted = policy.ask_tags;
  for (const auto &tag : a.tags()) {
    const bool read = policy.reads_ask_tags || std::find(wanted.begin(), wanted.end(), tag.first) != wanted.end();
    if (read) about.tags.push_back(tag);
  }
  const auto [known, made] = known_facts_.insert(std::move(about));
  if (made) kept_bytes_ += ask_class_size + size_of_pairs(known->tags);
  return &*known;
}

// The node order changed: asks may be of other classes now.
void ask_classifier::score_changed() {
  forget_last();
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

// In the order in which they came, as their sets name the first.
bool ask_classifier::canary_changed() {
  std::vector<ask *> changed;
  for (uint32_t i = 0; i < asks.extent(); ++i) {
    ask &a = asks[i];
    if (!a.live) continue;
    const verdict_set *judged = classes[a.class_id].judged;
    const bool was = judged != nullptr && judged->canary != 0;
    const bool is_stale = was && !verdicts.is_of_canary(*judged);
    if (is_stale || was != is_judged_by_canary(a)) changed.push_back(&a);
  }
  if (changed.empty()) return false;
  forget_last();
  std::sort(changed.begin(), changed.end(), [](const ask *x, const ask *y) { return x->arrival < y->arrival; });
  for (ask *a : changed) {
    const ask_class &old = classes[a->class_id];
    verdict_set *judged = old.judged != nullptr && old.judged->canary != 0 ? old.judged->others : old.judged;
    bool in_common = true;
    if (is_judged_by_canary(*a)) judged = verdicts.canary_set_for(*a, old.need, judged, in_common);
    const class_key key{old.need, old.required_node, old.timeout_ms, judged, old.scored, old.devices};
    const bool queued = a->line != ask_line::none && a->line != ask_line::refused;
    if (queued) lines.dequeue(*a);
    a->class_id = class_of(key).id;
    if (queued) lines.enqueue(*a);
  }
  return true;
}

void ask_classifier::reclassify(ask &a) {
  const ask_class before = classes[a.class_id];
  lines.dequeue(a);
  a.class_id = classify(before.required_node, a, before.need, before.devices).id;
  lines.enqueue(a);
}

void ask_classifier::judges_changed() {
  forget_last();
  std::vector<ask *> all;
  for (uint32_t i = 0; i < asks.extent(); ++i) {
    if (asks[i].live) all.push_back(&asks[i]);
  }
  std::sort(all.begin(), all.end(), [](const ask *a, const ask *b) { return a->arrival < b->arrival; });
  for (ask *a : all) {
    const ask_class before = classes[a->class_id];
    const bool queued = a->line != ask_line::none && a->line != ask_line::refused;
    if (queued) lines.dequeue(*a);
    a->class_id = classify(before.required_node, *a, before.need, before.devices).id;
    if (queued) lines.enqueue(*a);
  }
}

}  // namespace tenon::internal
