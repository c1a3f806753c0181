// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The queue tree: usage and pending up the tree, headroom, priorities, creation and clean-up.
#include <algorithm>

#include "partition.hpp"

namespace tenon::internal {

queue *partition::find_queue(std::string_view path) const {
  queue *q = root.get();
  size_t end = path.find('.');
  if (q == nullptr || path.substr(0, end) != q->name) return nullptr;
  while (end != std::string_view::npos) {
    const size_t from = end + 1;
    end = path.find('.', from);
    const std::string_view part = path.substr(from, end == std::string_view::npos ? end : end - from);
    const auto found = q->children_by_name.find(part);
    if (found == q->children_by_name.end()) return nullptr;
    q = found->second;
  }
  return q;
}

queue &partition::create_queue(queue *parent, std::string_view own_name, bool leaf, bool managed) {
  auto owned = std::make_unique<queue>();
  queue &q = *owned;
  q.name = own_name;
  q.path = parent == nullptr ? q.name : parent->path + "." + q.name;
  q.parent = parent;
  q.sequence = next_queue++;
  marks.touch_queues();
  q.leaf = leaf;
  q.managed = managed;
  q.ready = new queue_heap;
  if (parent == nullptr) {
    root = std::move(owned);
  } else {
    if (parent->order != nullptr) q.key.reset(parent->order->key_words());
    parent->children.push_back(std::move(owned));
    parent->children_by_name.emplace(q.name, &q);
    keys.changed(q, ~0U);
  }
  if (!managed) keeps.add(q);
  facts.tell(fact_kind::queue_added, q, nullptr, managed);
  return q;
}

// Whatever would be looked for among many is left to forget_retired(): many may go at once.
void partition::retire_queue(queue &q) {
  q.gone = true;
  keeps.remove(q);
  marks.touch_queues();
  facts.tell(fact_kind::queue_removed, q, nullptr, q.managed);
  ready.forget(q);
  queue_priorities::count(*q.parent, q.priority, INT32_MIN);
  priorities.refresh(*q.parent);
}

void partition::forget_retired(queue &q) {
  std::erase_if(q.dirty_children, [](const queue *child) { return child->gone; });
  const auto first_gone = std::stable_partition(q.children.begin(), q.children.end(),
                                                [](const std::unique_ptr<queue> &child) { return !child->gone; });
  for (auto child = first_gone; child != q.children.end(); ++child) {
    q.children_by_name.erase((*child)->name);
    gone_queues.push_back(std::move(*child));
  }
  q.children.erase(first_gone, q.children.end());
}

void partition::forget_retired() {
  keys.forget_gone_queues();
  quotas.forget_gone_queues();
  limits.forget_gone_queues();
}

// Sums are kept wide, so that a node that leaves takes away exactly what it brought.
void partition::count_capacity(const resources &comes, const resources &goes) {
  bool changed = false;
  const resources before = facts.listened() ? total : resources{};
  const auto count = [&](type_index t, wide_sum amount) {
    if (amount == 0) return;
    if (total_exact.size() <= t) total_exact.resize(t + 1);
    total_exact[t] += amount;
    const int64_t sum = static_cast<int64_t>(std::min<wide_sum>(total_exact[t], INT64_MAX));
    if (sum == 0) {
      total.erase(t);
    } else {
      total.set(t, sum);
    }
    changed = true;
  };
  for_each_type(comes, [&](type_index t, int64_t amount) { count(t, amount); });
  for_each_type(goes, [&](type_index t, int64_t amount) { count(t, -wide_sum{amount}); });
  if (!changed) return;
  if (facts.listened() && total != before) facts.tell(fact_kind::queue_max, *root, &total);
  fair_maxima.total_changed();
  ready.wake_headroom(*root);
}

void partition::arm_cleaner() {
  shared.timers.arm(shared.now_ms + std::max<int64_t>(1, config.tuning.queue_cleanup_ms), timer_kind::cleaner, id, 0,
                    0);
}

void partition::clean_queues() {
  const uint64_t version_before = marks.queues_version();
  const auto visit = [&](const auto &self, queue &q) -> void {
    const uint64_t before = marks.queues_version();
    for (size_t i = q.children.size(); i-- > 0;) {
      queue &child = *q.children[i];
      self(self, child);
      const bool goes = !child.managed || child.state == object_state::draining;
      if (goes && child.children.empty() && child.apps.empty()) retire_queue(child);
    }
    if (marks.queues_version() != before) forget_retired(q);
  };
  visit(visit, *root);
  if (marks.queues_version() != version_before) forget_retired();
  if (state == object_state::draining && active.empty()) {
    gone = true;
  } else {
    arm_cleaner();
  }
}

}  // namespace tenon::internal
