// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/node_order.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tenon::internal {

// -- Blocks. --

void node_order::block::move_rows(size_t from, size_t to, size_t count) {
  const auto move = [&](auto &column) {
    std::memmove(column.data() + to, column.data() + from, count * sizeof column[0]);
  };
  move(keys);
  move(slots);
  for (coarse_column &column : free) move(column);
}

// The shorter side makes room.
size_t node_order::block::make_row(size_t at) {
  const size_t before = at - begin, after = end - at;
  if (begin > 0 && (before < after || end == block_capacity)) {
    if (before != 0) move_rows(begin, begin - 1, before);
    --begin;
    return at - 1;
  }
  if (after != 0) move_rows(at, at + 1, after);
  ++end;
  return at;
}

void node_order::block::drop_row(size_t at) {
  const size_t before = at - begin, after = end - at - 1;
  if (before < after) {
    if (before != 0) move_rows(begin, begin + 1, before);
    ++begin;
  } else {
    if (after != 0) move_rows(at + 1, at, after);
    --end;
  }
}

// Both have room for the rows of both.
void node_order::block::take_rows(const block &next) {
  if (begin != 0) move_rows(begin, 0, size());
  end = size();
  begin = 0;
  const auto copy = [&](const auto &from, auto &to) {
    std::copy(from.begin() + static_cast<ptrdiff_t>(next.begin), from.begin() + static_cast<ptrdiff_t>(next.end),
              to.begin() + static_cast<ptrdiff_t>(end));
  };
  copy(next.keys, keys);
  copy(next.slots, slots);
  for (type_index t = 0; t < free.size(); ++t) copy(next.free[t], free[t]);
  end += next.size();
}

size_t node_order::add_block(size_t at) {
  auto &b = *blocks_.emplace(blocks_.begin() + static_cast<ptrdiff_t>(at), std::make_unique<block>());
  b->free.resize(types_);
  fences_.insert(fences_.begin() + static_cast<ptrdiff_t>(at), {0, 0});
  for (auto &column : bounds_) column.insert(column.begin() + static_cast<ptrdiff_t>(at), coarse_nothing);
  return at;
}

void node_order::drop_block(size_t at) {
  blocks_.erase(blocks_.begin() + static_cast<ptrdiff_t>(at));
  fences_.erase(fences_.begin() + static_cast<ptrdiff_t>(at));
  for (auto &column : bounds_) column.erase(column.begin() + static_cast<ptrdiff_t>(at));
}

void node_order::set_fence(size_t at) {
  block &b = *blocks_[at];
  const uint32_t slot = b.slots[b.begin];
  fences_[at] = {b.keys[b.begin], table_.order_number(slot)};
  const uint64_t *key = key_of(slot);
  b.fence.assign(key + 1, key + words_);
}

// -- Nodes in order. --

void node_order::touch(uint32_t slot) {
  if (is_touched_.size() <= slot) is_touched_.resize(slot + 1);
  if (is_touched_[slot] != 0) return;
  is_touched_[slot] = 1;
  touched_.push_back(slot);
}

void node_order::opened(uint32_t slot) {
  if (!is_in_place(slot)) return;
  const place at = place_of_filed(slot);
  store_free(at.block, at.row, slot);
}

void node_order::removed(uint32_t slot) {
  some_are_gone_ = true;
  if (is_in_place(slot)) erase(slot);
}

int node_order::compare_rest(const uint64_t *a, const uint64_t *b) const {
  for (uint32_t w = 1; w < words_; ++w) {
    if (a[w] != b[w]) return a[w] < b[w] ? -1 : 1;
  }
  return 0;
}

bool node_order::before(uint32_t a, uint32_t b) const {
  const uint64_t *x = key_of(a), *y = key_of(b);
  if (*x != *y) return *x < *y;
  const int order = compare_rest(x, y);
  return order != 0 ? order < 0 : table_.order_number(a) < table_.order_number(b);
}

namespace {

// The first of [from, to) that is not before what is looked for, of which the first word is `key`. Most are told apart
// by that. `is_before(i)`: for those with that first word.
template <class KeyAt, class IsBefore>
inline size_t first_not_before(size_t from, size_t to, uint64_t key, KeyAt &&key_at, IsBefore &&is_before) {
  size_t count = to - from;
  while (count != 0) {
    const size_t half = (count + 1) / 2;
    from += key_at(from + half - 1) < key ? half : 0;
    count -= half;
  }
  if (from == to || key_at(from) != key || !is_before(from)) return from;
  for (count = to - ++from; count != 0;) {
    const size_t half = count / 2, at = from + half;
    const bool goes_on = key_at(at) == key && is_before(at);
    from = goes_on ? at + 1 : from;
    count = goes_on ? count - half - 1 : half;
  }
  return from;
}

}  // namespace

node_order::place node_order::place_of(uint32_t slot) const {
  const uint64_t *key = key_of(slot);
  const uint64_t number = table_.order_number(slot);
  // The one that is there is no block that begins after it: fences are of the first of their time.
  const size_t next = first_not_before(
      1, fences_.size(), *key, [&](size_t at) { return fences_[at].key; },
      [&](size_t at) {
        const int rest = words_ > 1 ? compare_rest(blocks_[at]->fence.data() - 1, key) : 0;
        return rest != 0 ? rest < 0 : fences_[at].number <= number;
      });
  const block &b = *blocks_[next - 1];
  const size_t row = first_not_before(
      b.begin, b.end, *key, [&](size_t at) { return b.keys[at]; },
      [&](size_t at) {
        const int rest = words_ > 1 ? compare_rest(key_of(b.slots[at]), key) : 0;
        return rest != 0 ? rest < 0 : table_.order_number(b.slots[at]) < number;
      });
  return {next - 1, row};
}

// Of an order of nodes alike the first goes, and comes again as the last.
node_order::place node_order::place_of_filed(uint32_t slot) const {
  const block &first = *blocks_.front();
  const bool is_first = first.size() != 0 && first.slots[first.begin] == slot;
  return is_first ? place{0, first.begin} : place_of(slot);
}

node_order::place node_order::place_for(uint32_t slot) const {
  const block &last = *blocks_.back();
  if (last.size() == 0) return place_of(slot);
  const uint64_t key = *key_of(slot), last_key = last.keys[last.end - 1];
  const bool is_last = last_key != key ? last_key < key : before(last.slots[last.end - 1], slot);
  return is_last ? place{blocks_.size() - 1, last.end} : place_of(slot);
}

void node_order::cover() {
  is_touched_.resize(table_.slots());
  is_filed_.resize(table_.slots());
  keys_.resize(table_.slots() * size_t{words_});
}

// The nodes that there are, of those that were touched.
void node_order::find_touched() {
  if (rebuild_) {
    touched_.resize(table_.slots());
    std::iota(touched_.begin(), touched_.end(), 0);
  } else if (!some_are_gone_) {
    return;
  }
  some_are_gone_ = false;
  std::erase_if(touched_, [&](uint32_t slot) {
    if (table_.at(slot) != nullptr) return false;
    is_touched_[slot] = 0;
    return true;
  });
}

bool node_order::refresh(const call_context &context) {
  if (numbering_ != table_.numbering() || types_ != context.types.size()) rebuild_ = true;
  if (!rebuild_ && touched_.empty()) return true;
  const uint32_t words = policy_.key_words();
  if (is_filed_.size() != table_.slots() || words_ != words) {
    words_ = words;
    cover();
  }
  find_touched();
  if (!touched_.empty() && !node_keys(policy_, context, table_, touched_, fresh_)) return false;
  if (rebuild_) {
    types_ = static_cast<uint32_t>(context.types.size());
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
      const bool is_filed = is_filed_[slot] != 0;
      if (is_filed && *key == *fresh && compare_rest(key, fresh) == 0) {
        const place at = place_of_filed(slot);
        blocks_[at.block]->loose = true;
        store_free(at.block, at.row, slot);
        continue;
      }
      if (is_filed) erase(slot);
      for (uint32_t w = 0; w < words; ++w) key[w] = fresh[w];
      insert(slot);
    }
  }
  for (const uint32_t slot : touched_) is_touched_[slot] = 0;
  touched_.clear();
  return true;
}

void node_order::rebuild() {
  rebuild_ = false;
  numbering_ = table_.numbering();
  is_filed_.assign(table_.slots(), 0);
  blocks_.clear();
  fences_.clear();
  bounds_.assign(types_, std::vector<coarse_amount>(coarse_lanes, coarse_nothing));
  std::sort(touched_.begin(), touched_.end(), [this](uint32_t a, uint32_t b) { return before(a, b); });
  constexpr size_t fill = block_capacity * 3 / 4;
  size_t from = 0;
  do {
    const size_t at = add_block(blocks_.size());
    block &b = *blocks_[at];
    for (; from < touched_.size() && b.size() < fill; ++from) {
      b.keys[b.end] = *key_of(touched_[from]);
      b.slots[b.end++] = touched_[from];
      is_filed_[touched_[from]] = 1;
    }
    if (b.size() != 0) set_fence(at);
    store_all_free(at);
  } while (from < touched_.size());
}

void node_order::insert(uint32_t slot) {
  auto [at, row] = place_for(slot);
  block &b = *blocks_[at];
  row = b.make_row(row);
  b.keys[row] = *key_of(slot);
  b.slots[row] = slot;
  is_filed_[slot] = 1;
  store_free(at, row, slot);
  if (b.size() < block_capacity) return;
  // Where nodes come as the last ones, blocks stay full.
  const bool is_last = at + 1 == blocks_.size() && row + 1 == b.end;
  split(at, is_last ? row : b.begin + b.size() / 2);
}

// From that row on they are of the next block.
void node_order::split(size_t at, size_t from) {
  const size_t later = add_block(at + 1);
  block &b = *blocks_[at], &upper = *blocks_[later];
  const auto copy = [&](const auto &all, auto &to) {
    std::copy(all.begin() + static_cast<ptrdiff_t>(from), all.begin() + static_cast<ptrdiff_t>(b.end), to.begin());
  };
  copy(b.keys, upper.keys);
  copy(b.slots, upper.slots);
  for (type_index t = 0; t < types_; ++t) copy(b.free[t], upper.free[t]);
  upper.end = b.end - from;
  b.end = from;
  set_fence(later);
  upper.closings = b.closings;
  upper.loose = b.loose = true;
  if (table_.devices().divided() != 0) {
    store_all_free(at);
    store_all_free(later);
  } else {
    tighten(at);
    tighten(later);
  }
}

void node_order::erase(uint32_t slot) {
  const auto [at, row] = place_of_filed(slot);
  block &b = *blocks_[at];
  b.drop_row(row);
  is_filed_[slot] = 0;
  b.loose = true;
  const auto are_few = [&](size_t first) { return blocks_[first]->size() + blocks_[first + 1]->size() <= few_rows; };
  if (at + 1 < blocks_.size() && are_few(at)) {
    merge(at);
  } else if (at != 0 && are_few(at - 1)) {
    merge(at - 1);
  } else if (b.size() == 0 && blocks_.size() > 1) {
    drop_block(at);
  }
}

// With the next one. Where nodes stay behind on which nothing fits, there would be many blocks of a few else.
void node_order::merge(size_t at) {
  block &b = *blocks_[at];
  const block &next = *blocks_[at + 1];
  b.take_rows(next);
  b.loose = true;
  b.closings = std::min(b.closings, next.closings);
  for (type_index t = 0; t < types_; ++t) bounds_[t][at] = std::max(bounds_[t][at], bounds_[t][at + 1]);
  drop_block(at + 1);
  if (table_.devices().divided() != 0) store_all_free(at);
}

// -- What is free. --

void node_order::store_free(size_t at, size_t row, uint32_t slot) {
  block &b = *blocks_[at];
  const bool open = table_.open(slot);
  const int64_t *free = table_.free(slot);
  for (type_index t = 0; t < types_; ++t) {
    const coarse_amount has = open ? coarse_of(free[t]) : coarse_nothing;
    b.free[t][row] = has;
    bounds_[t][at] = std::max(bounds_[t][at], has);
  }
  if (open && table_.devices().divided() != 0) raise_device_bound(b, slot);
}

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

// Where some node has less free or left since, or was closed, which nobody says here.
void node_order::tighten(size_t at) {
  block &b = *blocks_[at];
  if (b.closings != table_.closings() || (b.loose && table_.devices().divided() != 0)) return store_all_free(at);
  if (!b.loose) return;
  b.loose = false;
  for (type_index t = 0; t < types_; ++t) bounds_[t][at] = largest_of(b.free[t].data(), b.begin, b.end);
}

void node_order::store_all_free(size_t at) {
  block &b = *blocks_[at];
  b.loose = false;
  b.closings = table_.closings();
  for (auto &column : bounds_) column[at] = coarse_nothing;
  // Emptied, not taken away: sizes that were here come again, and must cost no memory then.
  if (b.devices.size() > block_capacity) b.devices.clear();
  for (device_bound &d : b.devices) std::fill(d.ranked.begin(), d.ranked.end(), INT64_MIN);
  for (size_t row = b.begin; row < b.end; ++row) store_free(at, row, b.slots[row]);
}

}  // namespace tenon::internal
