// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Policy batch: turns the kernel's objects into the columns of one call of a policy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "model/ask_class.hpp"
#include "model/ask_shapes.hpp"
#include "model/node_table.hpp"
#include "policies/bound_sort_policy.hpp"

namespace tenon::internal {

class batch_builder;

// What every call of a policy is told beside its columns.
struct call_context {
  std::span<const tenon_text> types;  // names of the resource types
  int64_t now_ms = 0;
  batch_builder &batches;  // scratch; calls do not nest
  const shape_generation *shapes = nullptr;
};

// What policies may see of an ask.
struct ask_facts {
  const resources &need;
  int32_t priority;
  const tag_list &tags;                                 // ascending by key
  const std::vector<class_devices> *devices = nullptr;  // that its tags want; null: not known
  // Allocations of its application, by the attribute that the policy counts by, then by group; null: not known.
  const std::vector<std::vector<int64_t>> *counts = nullptr;
};

// What a policy said of a batch, in its order. Only grows, so that a steady cycle allocates nothing.
struct key_batch {
  std::vector<uint64_t> words;  // key_words an item
  std::vector<int64_t> not_before_ms, valid_until_ms;

  void start(size_t items, uint32_t key_words) {
    if (words.size() < items * key_words) words.resize(items * key_words);
    if (not_before_ms.size() < items) {
      not_before_ms.resize(items);
      valid_until_ms.resize(items);
    }
    std::fill_n(not_before_ms.data(), items, INT64_MIN);
    std::fill_n(valid_until_ms.data(), items, INT64_MAX);
  }
};

// Each fills `out` for the items in their order, or gives false when the module failed.
bool queue_keys(sort_policy &policy, const call_context &context, const queue &parent, std::span<queue *const> items,
                key_batch &out);
bool app_keys(sort_policy &policy, const call_context &context, const queue &leaf, std::span<application *const> items,
              key_batch &out);
bool node_keys(sort_policy &policy, const call_context &context, node_table &nodes, std::span<const uint32_t> slots,
               key_batch &out);
// As node_keys through the policy's `score`, for asks of one class.
bool node_scores(sort_policy &policy, const call_context &context, node_table &nodes, const ask_facts &asks,
                 std::span<const uint32_t> slots, key_batch &out);

// A predicate bound to its columns.
struct node_predicate {
  std::unique_ptr<bound_policy> bound;
  std::vector<column_binding> columns;
  uint32_t node_mask = 0;   // changes of a node that make its verdicts stale
  bool reads_need = false;  // of the ask: equal signatures are then alike only where the resources are, too
  uint64_t calls = 0, faults = 0;
};
[[nodiscard]] result<node_predicate> wrap_predicate(std::unique_ptr<bound_policy> bound);

// Verdicts (TENON_PASS ...) and reasons of the slots for asks of one class. False: the module failed.
bool filter_nodes(node_predicate &predicate, const call_context &context, node_table &nodes, const ask_facts &asks,
                  std::span<const uint32_t> slots, uint8_t *verdicts, uint16_t *reasons);
// The signature of an ask.
enum class signed_as : uint8_t { words, nothing, fault };  // nothing: the module gives none
signed_as ask_signature(node_predicate &predicate, const call_context &context, const ask_facts &asks,
                        uint64_t words[2]);

}  // namespace tenon::internal
