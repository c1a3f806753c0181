// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Leaf class: all pending asks of one ask class in one leaf, runnable or parked on one thing.
#pragma once

#include <array>
#include <cstdint>

#include "base/indexed_heap.hpp"
#include "base/sort_key.hpp"
#include "model/application.hpp"
#include "model/parked_unit.hpp"

namespace tenon::internal {

// Of applications of one leaf.
[[nodiscard]] inline bool comes_before(const application &a, const application &b) {
  if (const int order = a.key.compare(b.key); order != 0) return order < 0;
  return a.submission < b.submission;
}
// Of asks of one leaf.
[[nodiscard]] inline bool comes_before(const ask &a, const ask &b) {
  return a.owner == b.owner ? tried_before(a, b) : comes_before(*a.owner, *b.owner);
}

struct app_class_before {
  bool operator()(const app_class &a, const app_class &b) const { return comes_before(*a.owner, *b.owner); }
};
struct app_class_position {
  uint32_t &operator()(app_class &a) const { return a.position; }
  const uint32_t &operator()(const app_class &a) const { return a.position; }
};

struct app_class_prefix {
  key_prefix operator()(const app_class &a) const { return a.owner->key.prefix(a.owner->submission); }
};

using app_class_heap = indexed_heap<app_class, app_class_before, app_class_position, app_class_prefix>;

struct leaf_class : parked_unit {
  unit_kind kind = unit_kind::plain;
  uint32_t groups = 0;  // that are of it; without any it is nothing
  app_class_heap ready;
  uint32_t position = not_in_heap;  // in one heap of its leaf
  uint32_t first_untimed = no_ask;  // asks in it that have no alarm yet, should it be parked
  uint64_t watch = 0;               // its number among the watchers of the leaf; 0: none

  [[nodiscard]] unit_id id() const { return {class_id, kind}; }
};

struct leaf_class_before {
  bool operator()(const leaf_class &a, const leaf_class &b) const {
    const app_class &x = *a.ready.top();
    const app_class &y = *b.ready.top();
    if (x.owner == y.owner) return tried_before(*x.first(), *y.first());
    return comes_before(*x.owner, *y.owner);
  }
};
struct leaf_class_position {
  uint32_t &operator()(leaf_class &a) const { return a.position; }
  const uint32_t &operator()(const leaf_class &a) const { return a.position; }
};

// Units of one application differ in their first ask alone: where the key is short, that is in the prefix too.
struct leaf_class_prefix {
  std::array<uint64_t, 6> operator()(const leaf_class &a) const {
    const app_class &g = *a.ready.top();
    const ask &first = *g.first();
    std::array<uint64_t, 6> out{};
    size_t count = 0;
    const auto add = [&](uint64_t word) {
      if (count < out.size()) out[count++] = word;
    };
    for (const uint64_t word : g.owner->key.words) add(word);
    add(g.owner->submission);
    add(ascending(-int64_t{first.priority}));
    add(ascending(first.create_time_ms));
    add(first.arrival);
    return out;
  }

 private:
  static uint64_t ascending(int64_t value) { return static_cast<uint64_t>(value ^ INT64_MIN); }
};

using leaf_class_heap = indexed_heap<leaf_class, leaf_class_before, leaf_class_position, leaf_class_prefix>;

}  // namespace tenon::internal
