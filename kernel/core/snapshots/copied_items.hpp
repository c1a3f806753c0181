// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Copied items: what a partition is copied by, the items of a slab in order and their copies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/slab.hpp"
#include "model/objects.hpp"

namespace tenon::internal {

// The live items of a slab, in the order in which they were made: mostly that in which they stand.
template <class T, uint32_t page_bytes, class Number>
std::vector<const T *> in_order(const slab<T, page_bytes> &items, Number number) {
  using numbered = std::pair<uint64_t, const T *>;
  std::vector<numbered> all;
  all.reserve(items.live());
  for (uint32_t i = 0; i < items.extent(); ++i) {
    if (const T &one = items[i]; one.live) all.push_back({uint64_t{one.*number}, &one});
  }
  const auto before = [](const numbered &x, const numbered &y) { return x.first < y.first; };
  if (!std::is_sorted(all.begin(), all.end(), before)) std::sort(all.begin(), all.end(), before);
  std::vector<const T *> out;
  out.reserve(all.size());
  for (const numbered &one : all) out.push_back(one.second);
  return out;
}

// The copies of the items of a slab, by their index.
template <class T>
class copies {
 public:
  void make_room(uint32_t extent) { by_index_.resize(extent); }
  void note(const T &of, T &copy) {
    if (by_index_.size() <= of.index) by_index_.resize(of.index + 1);
    by_index_[of.index] = &copy;
  }
  [[nodiscard]] T &of(const T &item) const { return *by_index_[item.index]; }
  [[nodiscard]] T *of(const T *item) const { return item == nullptr ? nullptr : &of(*item); }

 private:
  std::vector<T *> by_index_;
};

// True if the ask stands among the refused ones in a copy, too. A gang that waits as a whole for more than what all
// nodes have free has its turn there: it may be the first ask of its leaf.
[[nodiscard]] inline bool is_copied_as_refused(const ask &a) {
  const auto &gang = a.owner->whole_gang;
  return a.line == ask_line::refused && !(a.placeholder && gang != nullptr && !waits_for_cluster(*gang));
}

}  // namespace tenon::internal
