// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Asks: what an application wants, and where that stands in line.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/few.hpp"
#include "base/slab.hpp"
#include "base/sorted_run.hpp"
#include "base/text_store.hpp"
#include "model/object_names.hpp"
#include "model/owned.hpp"
#include "model/owned_state.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

// Where a pending ask stands in line.
enum class ask_line : uint8_t {
  none,          // nothing of it is pending
  run,           // in its app_class: the cycle tries it
  placeholders,  // in its task group, while that has placeholders
  reserved,      // in a reserved_unit: a node is kept for it
  refused,       // beside the others of its application: the resource manager refused it
};

// What an inspection said of an ask last.
enum class container_word : uint8_t { none, skipped, failed };

inline constexpr uint32_t no_ask = ~uint32_t{0};

// The RM refused a node for an ask, or starts of it failed there.
struct node_refusal {
  const node *where = nullptr;
  std::string reason;          // as the RM said
  uint32_t failed_starts = 0;  // 0: the RM refused it, until something changes there
  int64_t until_ms = 0;        // the ask waits so long for the node after failed starts

  [[nodiscard]] bool holds(int64_t now_ms) const { return failed_starts == 0 || until_ms > now_ms; }
};

// What a reserved ask for which preemption frees room claims in a queue, and what of that is kept there for it.
struct awaited_part {
  queue *in = nullptr;
  resources claimed, kept;
};

// What only asks have that reserved a node, tried to preempt or were refused.
struct ask_wait {
  uint32_t index = 0;
  bool live = false;
  int64_t reserve_from_ms = INT64_MIN;                                       // its last reservation waited too long
  int64_t preempt_from_ms = INT64_MIN;                                       // its last try to preempt was not long ago
  owned<reservation *, ask_wait> held;                                       // null: it has none
  owned<boost::container::small_vector<allocation *, 2>, ask_wait> victims;  // under way for it
  std::vector<awaited_part> awaited;                                         // while it is reserved and preempts
  std::vector<node_refusal> refusals;
  uint64_t held_off = 0;  // place among those whose last try failed for reservations of others; 0: it is none of them

  // Of the ask: made where it has none.
  static ask_wait &of(ask &a, slab<ask_wait, small_page_bytes> &all);
};
using ask_waits = slab<ask_wait, small_page_bytes>;

// What few asks say of themselves, or only seldom matters.
class ask_details {
 public:
  int64_t execution_timeout_ms = 0;
  const std::string *priority_class = nullptr;  // that it named
  tag_list tags;                                // ascending by key

 private:
  friend class fact_teller;
  int64_t told_at_ms_ = INT64_MIN / 2;  // when the listener was told last that no node will do
};

// What lines and alarms look at stands first: an ask that waits has few of its cache lines touched.
struct ask {
  uint32_t index = 0;
  uint32_t class_id = 0;
  int32_t priority = 0;
  owned<int32_t, ask> max_allocations, placed;
  owned<uint32_t, ask> under_way;  // replacements of placeholders by it: placed, and not allocated yet
  uint32_t before_untimed = no_ask, after_untimed = no_ask;  // neighbours in its unit's list
  bool live = false;
  owned<ask_line, ask> line;
  owned_state<ask_state, ask> state;
  bool placeholder : 1 = false, originator : 1 = false, preempt_self : 1 = true, preempt_other : 1 = false;

 private:
  friend class fact_teller;
  friend class ledger;
  friend class links;
  container_word told_ : 4 = container_word::none;
  uint8_t told_over_ : 4 = 0;  // which limits the listener knows it to be over

 public:
  application *owner = nullptr;
  owned<app_class *, ask> group;  // in line::run, else null
  uint64_t alarm = 0;             // of the timer that lets it be looked at again, 0: none
  ask_wait *wait = nullptr;
  int64_t create_time_ms = 0;
  uint64_t arrival = 0;
  few<allocation> allocations;  // live ones, by sequence
  stored_text key;
  task_group *gang = nullptr;              // null without task group
  std::unique_ptr<ask_details> more_said;  // null: nothing of it

  // What an inspection said of it last.
  [[nodiscard]] container_word told() const { return told_; }
  [[nodiscard]] int32_t pending() const { return std::max(0, max_allocations - placed); }
  [[nodiscard]] int64_t execution_timeout_ms() const { return said().execution_timeout_ms; }
  [[nodiscard]] const std::string *priority_class() const { return said().priority_class; }  // null: it named none
  [[nodiscard]] const tag_list &tags() const { return said().tags; }
  // To write them: made where there are none.
  [[nodiscard]] ask_details &details() {
    if (more_said == nullptr) more_said = std::make_unique<ask_details>();
    return *more_said;
  }

 private:
  [[nodiscard]] const ask_details &said() const {
    static const ask_details nothing;
    return more_said == nullptr ? nothing : *more_said;
  }
};

inline ask_wait &ask_wait::of(ask &a, ask_waits &all) {
  if (a.wait == nullptr) a.wait = &all.create();
  return *a.wait;
}

// Null: it has none.
[[nodiscard]] inline reservation *reservation_of(const ask &a) {
  if (a.wait == nullptr) return nullptr;
  return a.wait->held;
}

// When the ask may next be placed on a node where starts of it failed; INT64_MAX: it waits for none.
[[nodiscard]] inline int64_t starts_again_at(const ask &a, int64_t now_ms) {
  int64_t out = INT64_MAX;
  if (a.wait == nullptr) return out;
  for (const node_refusal &r : a.wait->refusals) {
    if (r.failed_starts != 0 && r.until_ms > now_ms) out = std::min(out, r.until_ms);
  }
  return out;
}

// Asks of an application are tried by priority, then age, then arrival.
template <class One, class Other>
[[nodiscard]] inline bool tried_before(const One &a, const Other &b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.create_time_ms != b.create_time_ms) return a.create_time_ms < b.create_time_ms;
  return a.arrival < b.arrival;
}
struct ask_before {
  bool operator()(const ask &a, const ask &b) const { return tried_before(a, b); }
};
using ask_run = sorted_run<ask, ask_before>;

}  // namespace tenon::internal
