// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/node_table.hpp"

namespace tenon::internal {

node &node_table::add(std::string_view id) {
  uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = slots();
    by_slot_.emplace_back();
    free_.resize(by_slot_.size() * stride_);
    total_.resize(by_slot_.size() * stride_);
    usable_.push_back(0);
    closed_.push_back(0);
    present_.push_back(0);
    rank_.push_back(0);
    order_numbers_.push_back(0);
    attributes_.push_back({});
    if (keeps_ids_) ids_.push_back({nullptr, 0});
    attribute_texts_.emplace_back();
    for (auto &[key, column] : attribute_columns_) column.push_back({nullptr, 0});
    for (auto &[key, groups] : groupings_) groups.of.push_back(0);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  by_slot_[slot] = std::make_unique<node>();
  node &n = *by_slot_[slot];
  n.id = id;
  n.slot = slot;
  if (keeps_ids_) ids_[slot] = {n.id.data(), n.id.size()};
  number(by_id_.emplace(n.id, &n).first);
  newest_ = slot;
  ranks_stale_ = true;
  return n;
}

void node_table::remove(node &n) {
  const uint32_t slot = n.slot;
  by_id_.erase(n.id);
  if (keeps_ids_) ids_[slot] = {nullptr, 0};
  for (uint32_t t = 0; t < stride_ && usable_[slot] != 0; ++t) {
    free_together_[t] -= std::max<int64_t>(0, free_[size_t{slot} * stride_ + t]);
  }
  usable_[slot] = closed_[slot] = 0;
  present_[slot] = 0;
  for (uint32_t t = 0; t < stride_; ++t) free_[size_t{slot} * stride_ + t] = total_[size_t{slot} * stride_ + t] = 0;
  devices_.set(slot, {});
  gone_.push_back(std::move(by_slot_[slot]));
  free_slots_.push_back(slot);
  ranks_stale_ = true;
}

node *node_table::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

void node_table::store(const node &n, uint32_t types) {
  if (types > stride_) widen(types);
  const bool counted = usable_[n.slot] != 0, counts = n.schedulable();
  const auto counted_of = [](int64_t free) { return std::max<int64_t>(0, free); };
  int64_t *free = free_.data() + size_t{n.slot} * stride_;
  int64_t *total = total_.data() + size_t{n.slot} * stride_;
  for (uint32_t t = 0; t < stride_; ++t) {
    total[t] = n.capacity[t];
    const int64_t before = counted ? counted_of(free[t]) : 0;
    free[t] = sub_saturating(sub_saturating(n.capacity[t], n.occupied[t]), n.allocated[t]);
    const int64_t now = counts ? counted_of(free[t]) : 0;
    if (now != before) free_together_[t] += now - before;
  }
  present_[n.slot] = n.capacity->present();
  usable_[n.slot] = counts ? 1 : 0;
  touch_block(n.slot);
}

void node_table::store_attributes(const node &n) {
  const size_t count = n.attributes.size();
  auto &texts = attribute_texts_[n.slot];
  texts.reset(count == 0 ? nullptr : new tenon_text[2 * count]);
  tenon_text *next = texts.get();
  for (const auto &[key, value] : n.attributes) *next++ = {key.data(), key.size()};
  for (const auto &[key, value] : n.attributes) *next++ = {value.data(), value.size()};
  attributes_[n.slot] = {texts.get(), count == 0 ? nullptr : texts.get() + count, count};
  for (auto &[key, column] : attribute_columns_) {
    const auto found = n.attributes.find(key);
    column[n.slot] =
        found == n.attributes.end() ? tenon_text{nullptr, 0} : tenon_text{found->second.data(), found->second.size()};
  }
  for (auto &[key, groups] : groupings_) {
    const auto found = n.attributes.find(key);
    uint32_t number = 0;
    if (found != n.attributes.end()) {
      number = groups.numbers.try_emplace(found->second, static_cast<uint32_t>(groups.count())).first->second;
    }
    groups.of[n.slot] = number;
  }
}

const node_table::grouping &node_table::groups_by(const std::string &key) {
  const auto [found, made] = groupings_.try_emplace(key);
  if (made) {
    found->second.of.resize(by_slot_.size());
    for (const auto &[id, n] : by_id_) store_attributes(*n);
  }
  return found->second;
}

const tenon_text *node_table::id_column() {
  if (!keeps_ids_) {
    keeps_ids_ = true;
    ids_.resize(by_slot_.size(), {nullptr, 0});
    for (const auto &[id, n] : by_id_) ids_[n->slot] = {n->id.data(), n->id.size()};
  }
  return ids_.data();
}

const tenon_text *node_table::attribute_column(const std::string &key) {
  const auto [found, made] = attribute_columns_.try_emplace(key);
  if (made) {
    found->second.resize(by_slot_.size(), {nullptr, 0});
    for (const auto &[id, n] : by_id_) store_attributes(*n);
  }
  return found->second.data();
}

// So far apart are numbers where there is room.
constexpr uint64_t number_step = uint64_t{1} << 40, middle_number = uint64_t{1} << 63;

// Nodes often come in the order of their ids, or against it: beside the one that came before it, a node leaves most of
// the numbers in between to those that follow.
void node_table::number(nodes_by_id::const_iterator newest) {
  const bool is_first = newest == by_id_.begin(), is_last = std::next(newest) == by_id_.end();
  uint64_t &number = order_numbers_[newest->second->slot];
  if (is_first && is_last) {
    number = middle_number;
    return;
  }
  const uint32_t before = is_first ? newest_ + 1 : std::prev(newest)->second->slot;
  const uint32_t after = is_last ? newest_ + 1 : std::next(newest)->second->slot;
  const uint64_t lower = is_first ? 0 : order_numbers_[before];
  const uint64_t upper = is_last ? UINT64_MAX : order_numbers_[after];
  const uint64_t gap = upper - lower;
  if (gap < 2) return number_all();
  const auto part = [&](uint64_t of) { return std::clamp<uint64_t>(gap / of, 1, number_step); };
  if (is_last || before == newest_) {
    number = lower + part(is_last ? 2 : 64);
  } else if (is_first || after == newest_) {
    number = upper - part(is_first ? 2 : 64);
  } else {
    number = lower + gap / 2;
  }
}

void node_table::number_all() {
  ++numbering_;
  const uint64_t step = std::min(number_step, middle_number / by_id_.size());
  uint64_t next = middle_number - by_id_.size() / 2 * step;
  for (const auto &[id, n] : by_id_) {
    order_numbers_[n->slot] = next;
    next += step;
  }
}

void node_table::rank_all() const {
  by_rank_.clear();
  for (const auto &[id, n] : by_id_) {
    rank_[n->slot] = static_cast<uint32_t>(by_rank_.size());
    by_rank_.push_back(n->slot);
  }
  ranks_stale_ = false;
  block_versions_.assign(blocks(), ++last_block_version_);
}

void node_table::widen(uint32_t types) {
  uint32_t wider = stride_;
  while (wider < types) wider *= 2;
  for (auto *column : {&free_, &total_}) {
    std::vector<int64_t> moved(by_slot_.size() * wider);
    for (size_t slot = 0; slot < by_slot_.size(); ++slot) {
      for (uint32_t t = 0; t < stride_; ++t) moved[slot * wider + t] = (*column)[slot * stride_ + t];
    }
    column->swap(moved);
  }
  free_together_.resize(wider);
  stride_ = wider;
}

}  // namespace tenon::internal
