// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sort keys: in which order queues and applications are tried, as their policies said last. A key is kept until
// something that its policy reads changes, or its time is over; it is made anew when somebody looks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core.hpp"
#include "forward.hpp"
#include "model/objects.hpp"
#include "policies/bound_sort_policy.hpp"
#include "policies/policy_batch.hpp"

namespace tenon::internal {

struct sort_keys_access {
  partition_clock clock;
  const std::unique_ptr<queue> &root;
  sort_orders &orders;
  const call_contexts &contexts;
  ready_index &ready;
  kept_orders &kept;
  policy_fallback &fallback;
  change_writer &changes;
};

class sort_keys : sort_keys_access {
 public:
  explicit sort_keys(const sort_keys_access &all) : sort_keys_access(all) {}

  // -- What a policy may read changed: of these columns (column::...). --
  void changed(queue &q, uint32_t columns);
  void changed(application &app, uint32_t columns);
  void priority_changed(application &app);
  void joined(application &app);  // the applications of its leaf
  void left(application &app);
  // Some item that its policy holds back is to be looked at all the same.
  void mark_stale(queue &q);
  // Its items are ordered by another policy, or by another instance of it: from nothing.
  void restart(queue &q);
  void restart(sort_policy &policy);
  // Have what their order reads of the past.
  void follow_decay(queue &q);
  void follow_decay(application &app);
  // Policies, or their periods, are others now.
  void forget_periods() { next_period_ms_ = INT64_MIN; }
  void forget_gone_queues();

  // -- Made anew. --
  void flush(queue &q);  // of its children or applications, those in play
  [[nodiscard]] bool has_stale() const { return !stale_.empty(); }
  void flush_stale();
  // Where the time passed a multiple of some policy's rekey_ms, or the end of a step of something decayed that it
  // reads, all of its keys are stale.
  void begin_periods() {
    if (is_period_over()) start_periods();
  }
  [[nodiscard]] bool is_period_over() const { return clock.now_ms() >= next_period_ms_; }
  [[nodiscard]] bool have_periods() const { return next_period_ms_ != INT64_MAX; }
  // -- Their timers. --
  void is_due(application &app, const timer &t);
  void is_due(const timer &of_queue);

 private:
  void decay(queue &q);
  void rekey_children(queue &parent);
  void rekey_applications(queue &leaf);
  void file_start(application &app, bool is_there);
  static void mark_all_dirty(queue &q);
  void set_app_key(application &app, const uint64_t *words, int64_t not_before, int64_t until);
  void set_queue_key(queue &q, const uint64_t *words, int64_t not_before, int64_t until);
  void time_key(sort_key &key, const sort_policy &policy, int64_t not_before, int64_t until, timer_kind kind,
                uint32_t object, uint64_t epoch);
  bool time_is_over(sort_key &key, const timer &t);
  void start_periods();

  std::vector<queue *> stale_;          // of items that their policy holds back, to be re-keyed
  int64_t next_period_ms_ = INT64_MIN;  // when a policy's rekey_ms makes its keys stale again
  key_batch batch_;                     // scratch of flush()
};

// Usage changes all the way up the tree, with every allocation.
inline void sort_keys::changed(queue &q, uint32_t columns) {
  if (q.leaf && q.order != nullptr && (q.order->context_mask & columns) != 0) rekey_applications(q);
  queue *parent = q.parent;
  if (parent == nullptr || parent->order == nullptr) return;
  if ((columns & column::allocated) != 0 && !q.decayed.empty()) decay(q);
  const sort_policy &policy = *parent->order;
  if ((policy.sibling_mask & columns) != 0) return rekey_children(*parent);
  if ((policy.item_mask & columns) == 0) return;
  if (q.key.held_back()) mark_stale(*parent);
  if (q.key_dirty) return;
  q.key_dirty = true;
  parent->dirty_children.push_back(&q);
}

}  // namespace tenon::internal
