// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sort policy: a bound sort module seen from the kernel: which changes matter to it, and its batch calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenon/kernel/columns.hpp"
#include "tenon/kernel/policies.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

// A column as a policy declared it; `argument` is the part after ':'.
struct column_binding {
  column_source source;
  uint32_t scope;
  std::string argument;
  uint32_t number = 0;  // of decayed columns the argument, of app.count_by its place in counts_by

  [[nodiscard]] bool is_watched() const { return scope != scope_unwatched; }
};

// Resolves a column that a policy of `kind` declares; a refusal names the ids that this kind can read.
[[nodiscard]] result<column_binding> resolve_column(module_kind kind, const column_request &request);

struct sort_policy {
  module_kind kind = module_kind::queue_sort;
  std::unique_ptr<bound_policy> bound;
  std::vector<column_binding> columns;
  uint32_t item_mask = 0;     // changes of an item that make its key stale
  uint32_t sibling_mask = 0;  // changes of an item that make every sibling's key stale
  uint32_t context_mask = 0;  // changes of the parent that make every key stale
  // What `score` reads of asks.
  bool reads_ask_priority = false, reads_ask_tags = false;
  std::vector<std::string> ask_tags;    // where it does not read all of them
  std::vector<std::string> counts_by;   // attributes by which it counts the application's allocations
  std::vector<uint32_t> half_lives;     // seconds, of the decayed columns that it reads
  bool reads_starts = false;            // which application may start next
  bool reads_shapes = false;            // in which asks come
  std::vector<std::string> shape_keys;  // tags and attributes by which it tells these apart
  uint64_t calls = 0, faults = 0;
  bool faulty = false;  // the module failed: `bound` is the fallback
  bool chosen = false;  // by applications; orders of nodes alone
  bool canary = false;  // likewise
  struct period {
    int64_t length_ms;
    int64_t begun_ms;  // the multiple of it that all keys are of
  };
  std::vector<period> periods;  // of rekey_ms and of the steps of decayed columns
  std::string chosen_type;      // of which it chooses devices; empty: it chooses none

  [[nodiscard]] uint32_t key_words() const { return bound->key_words; }
  // Those by which items are ordered.
  [[nodiscard]] uint32_t order_words() const { return key_words() - (chosen_type.empty() ? 0 : 1); }
  [[nodiscard]] bool prepares() const {
    return TENON_COVERS(bound->sort, tenon_sort_v1, prepare) && bound->sort->prepare != nullptr;
  }
  [[nodiscard]] bool scores() const {
    return TENON_COVERS(bound->sort, tenon_sort_v1, score) && bound->sort->score != nullptr;
  }
  [[nodiscard]] bool score_reads_ask() const { return reads_ask_priority || reads_ask_tags || !ask_tags.empty(); }
  [[nodiscard]] int64_t rekey_ms() const { return bound->rekey_ms; }
  // The end of the shortest period that now lies in; INT64_MAX without periods.
  [[nodiscard]] int64_t period_end(int64_t now_ms) const;
  // Notes the periods that now lies in: is it a new one?
  bool begin_periods(int64_t now_ms);
  // The time as the policy is told it.
  [[nodiscard]] int64_t time_of(int64_t now_ms) const {
    return rekey_ms() == 0 ? now_ms : now_ms - now_ms % rekey_ms();
  }
};

// Wraps a bound policy; refuses unknown columns and bad key widths.
[[nodiscard]] result<std::unique_ptr<sort_policy>> wrap_sort_policy(module_kind kind,
                                                                    std::unique_ptr<bound_policy> bound);

// The orders of queues and applications that a partition's configurations named, by name.
struct queue_orders {
  std::map<std::string, std::unique_ptr<sort_policy>> of_queues, of_applications;

  template <class F>
  void for_each(F &&f) {
    for (auto *all : {&of_queues, &of_applications}) {
      for (auto &[name, policy] : *all) f(*policy);
    }
  }
};

}  // namespace tenon::internal
