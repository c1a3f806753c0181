// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/node_order.hpp"

#include <algorithm>

namespace tenon::internal {

void node_order::touch(uint32_t slot) {
  if (slot < block_of_.size() && block_of_[slot] != nullptr && table_.at(slot) != nullptr) {
    block_of_[slot]->loose = true;
    raise_bound(*block_of_[slot], slot);
  }
  if (is_touched_.size() <= slot) is_touched_.resize(slot + 1);
  if (is_touched_[slot] != 0) return;
  is_touched_[slot] = 1;
  touched_.push_back(slot);
}

void node_order::opened(uint32_t slot) {
  if (slot < block_of_.size() && block_of_[slot] != nullptr) raise_bound(*block_of_[slot], slot);
}

bool node_order::before(uint32_t a, uint32_t b) const {
  const uint32_t words = policy_.key_words();
  const uint64_t *x = keys_.data() + size_t{a} * words;
  const uint64_t *y = keys_.data() + size_t{b} * words;
  if (*x != *y) return *x < *y;  // most do
  for (uint32_t w = 1; w < words; ++w) {
    if (x[w] != y[w]) return x[w] < y[w];
  }
  return rank_[a] < rank_[b];
}

bool node_order::refresh(const call_context &context) {
  if (rank_version_ != table_.rank_version()) rebuild_ = true;
  if (!rebuild_ && touched_.empty()) return true;
  if (rebuild_) {
    touched_.clear();
    for (uint32_t slot = 0; slot < table_.slots(); ++slot) {
      if (table_.at(slot) != nullptr) touched_.push_back(slot);
    }
  }
  const uint32_t words = policy_.key_words();
  if (!touched_.empty() && !compute_keys(context)) return false;
  keys_.resize(size_t{table_.slots()} * words);
  if (rebuild_) {
    for (size_t i = 0; i < touched_.size(); ++i) {
      std::copy_n(fresh_.words.begin() + static_cast<ptrdiff_t>(i * words), words,
                  keys_.begin() + static_cast<ptrdiff_t>(touched_[i] * size_t{words}));
    }
    rebuild();
  } else {
    for (size_t i = 0; i < touched_.size(); ++i) {
      const uint32_t slot = touched_[i];
      uint64_t *key = keys_.data() + size_t{slot} * words;
      const uint64_t *fresh = fresh_.words.data() + i * words;
      if (block_of_[slot] != nullptr && std::equal(fresh, fresh + words, key)) continue;
      if (block_of_[slot] != nullptr) erase(slot);
      std::copy_n(fresh, words, key);
      insert(slot);
    }
  }
  for (const uint32_t slot : touched_) {
    if (slot < is_touched_.size()) is_touched_[slot] = 0;
  }
  touched_.clear();
  return true;
}

bool node_order::compute_keys(const call_context &context) {
  return asks_ == nullptr ? node_keys(policy_, context, table_, touched_, fresh_)
                          : node_scores(policy_, context, table_, *asks_, touched_, fresh_);
}

void node_order::rebuild() {
  rebuild_ = false;
  rank_version_ = table_.rank_version();
  is_touched_.assign(table_.slots(), 0);
  rank_.resize(table_.slots());
  block_of_.assign(table_.slots(), nullptr);
  blocks_.clear();
  for (const uint32_t slot : touched_) rank_[slot] = table_.rank(slot);
  std::sort(touched_.begin(), touched_.end(), [this](uint32_t a, uint32_t b) { return before(a, b); });
  constexpr size_t fill = block_capacity * 3 / 4;
  for (size_t from = 0; from < touched_.size(); from += fill) {
    auto &b = blocks_.emplace_back(std::make_unique<block>());
    b->slots.reserve(block_capacity);
    const size_t to = std::min(from + fill, touched_.size());
    for (size_t i = from; i < to; ++i) {
      b->slots.push_back(touched_[i]);
      block_of_[touched_[i]] = b.get();
    }
    tighten(*b);
  }
}

void node_order::insert(uint32_t slot) {
  if (blocks_.empty()) blocks_.emplace_back(std::make_unique<block>());
  auto at = std::partition_point(blocks_.begin(), blocks_.end(),
                                 [&](const auto &b) { return !b->slots.empty() && before(b->slots.back(), slot); });
  if (at == blocks_.end()) --at;
  block &b = **at;
  const auto place = std::partition_point(b.slots.begin(), b.slots.end(), [&](uint32_t s) { return before(s, slot); });
  b.slots.insert(place, slot);
  block_of_[slot] = &b;
  raise_bound(b, slot);
  if (b.slots.size() < block_capacity) return;
  auto upper = std::make_unique<block>();
  upper->slots.reserve(block_capacity);
  const auto half = b.slots.begin() + static_cast<ptrdiff_t>(b.slots.size() / 2);
  upper->slots.assign(half, b.slots.end());
  b.slots.erase(half, b.slots.end());
  for (const uint32_t s : upper->slots) block_of_[s] = upper.get();
  tighten(b);
  tighten(*upper);
  blocks_.insert(at + 1, std::move(upper));
}

void node_order::erase(uint32_t slot) {
  block &b = *block_of_[slot];
  block_of_[slot] = nullptr;
  const auto place = std::partition_point(b.slots.begin(), b.slots.end(), [&](uint32_t s) { return before(s, slot); });
  b.slots.erase(place);
  b.loose = true;
  if (!b.slots.empty()) return;
  std::erase_if(blocks_, [&](const auto &owned) { return owned.get() == &b; });
}

namespace {

// Of so many types: a multiple of four, as strides are.
inline void raise(int64_t *bound, const int64_t *free, uint32_t types) {
  for (const int64_t *end = bound + types; bound != end; bound += 4, free += 4) {
    bound[0] = std::max(bound[0], free[0]);
    bound[1] = std::max(bound[1], free[1]);
    bound[2] = std::max(bound[2], free[2]);
    bound[3] = std::max(bound[3], free[3]);
  }
}

}  // namespace

void node_order::raise_bound(block &b, uint32_t slot) const {
  if (b.bound.size() < table_.stride()) [[unlikely]]
    widen(b);
  if (!table_.open(slot)) return;
  raise(b.bound.data(), table_.free(slot), table_.stride());
  if (table_.devices().divided() != 0) raise_device_bound(b, slot);
}

void node_order::widen(block &b) const { b.bound.resize(table_.stride(), INT64_MIN); }

void node_order::raise_device_bound(block &b, uint32_t slot) const {
  const device_table &devices = table_.devices();
  uint64_t sums = devices.divided();
  for (const device_group &group : devices.of(slot)) {
    sums &= ~(uint64_t{1} << group.type);
    raise_ranks(b, group.type, group.size, group.ranked.data(), group.ranked.size());
  }
  const int64_t *free = table_.free(slot);
  for (; sums != 0; sums &= sums - 1) {
    const auto t = static_cast<type_index>(__builtin_ctzll(sums));
    if (free[t] > 0) raise_ranks(b, t, 0, free + t, 1);
  }
}

void node_order::raise_ranks(block &b, type_index type, int64_t size, const int64_t *ranked, size_t count) {
  auto at = std::find_if(b.devices.begin(), b.devices.end(),
                         [&](const device_bound &d) { return d.type == type && d.size == size; });
  if (at == b.devices.end()) at = b.devices.insert(at, {type, size, {}});
  if (at->ranked.size() < count) at->ranked.resize(count, INT64_MIN);
  for (size_t i = 0; i < count; ++i) at->ranked[i] = std::max(at->ranked[i], ranked[i]);
}

bool node_order::may_have_devices(const block &b, const ask_class &need) const {
  for (uint64_t left = need.types & table_.devices().divided(); left != 0; left &= left - 1) {
    const auto t = static_cast<type_index>(__builtin_ctzll(left));
    const bool may = std::any_of(b.devices.begin(), b.devices.end(), [&](const device_bound &d) {
      if (d.type != t) return false;
      return (d.size == 0 ? device_want{1, need.need[t]} : want_of(need, t, d.size)).fits(d.ranked);
    });
    if (!may) return false;
  }
  return true;
}

void node_order::tighten(block &b) const {
  b.loose = false;
  b.closings = table_.closings();
  b.bound.assign(table_.stride(), INT64_MIN);
  // Emptied, not taken away: sizes that were here come again, and must cost no memory then.
  if (b.devices.size() > block_capacity) b.devices.clear();
  for (device_bound &d : b.devices) std::fill(d.ranked.begin(), d.ranked.end(), INT64_MIN);
  const bool divided = table_.devices().divided() != 0;
  for (const uint32_t slot : b.slots) {
    if (!table_.open(slot)) continue;
    raise(b.bound.data(), table_.free(slot), table_.stride());
    if (divided) raise_device_bound(b, slot);
  }
}

std::vector<uint32_t> node_order::in_order() const {
  std::vector<uint32_t> out;
  for (const auto &b : blocks_) out.insert(out.end(), b->slots.begin(), b->slots.end());
  return out;
}

}  // namespace tenon::internal
