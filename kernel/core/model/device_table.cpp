// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/device_table.hpp"

#include <algorithm>
#include <functional>

namespace tenon::internal {

device_want want_of(const ask_class &c, type_index type, int64_t size) {
  for (const class_devices &wanted : c.devices) {
    if (wanted.type == type) return {wanted.count, wanted.amount};
  }
  const int64_t amount = c.need[type];
  if (amount <= size) return {1, amount};
  if (amount % size != 0 || amount / size > max_devices) return {};
  return {static_cast<uint32_t>(amount / size), size};
}

void device_group::rank() {
  ranked = free;  // as long as before: nothing is allocated
  std::sort(ranked.begin(), ranked.end(), std::greater<>());
}

const device_group *device_table::find(uint32_t slot, type_index type) const {
  for (const device_group &group : of(slot)) {
    if (group.type == type) return &group;
  }
  return nullptr;
}

void device_table::set(uint32_t slot, std::vector<device_group> groups) {
  if (slot >= by_slot_.size()) {
    if (groups.empty()) return;
    by_slot_.resize(slot + size_t{1});
  }
  for (const device_group &group : by_slot_[slot]) {
    if (--nodes_of_type_[group.type] == 0) divided_ &= ~(uint64_t{1} << group.type);
  }
  by_slot_[slot] = std::move(groups);
  for (const device_group &group : by_slot_[slot]) {
    ++nodes_of_type_[group.type];
    divided_ |= uint64_t{1} << group.type;
  }
  for (auto &[type, column] : columns_) fill(column, type, slot, by_slot_[slot]);
}

bool device_table::fits(const ask_class &c, uint32_t slot) const {
  for (const device_group &group : of(slot)) {
    if ((c.types >> group.type & 1U) != 0 && !want_of(c, group.type, group.size).fits(group.ranked)) return false;
  }
  return true;
}

uint64_t device_table::choose(const device_group &group, const device_want &want) {
  uint64_t chosen = 0;
  for (uint32_t left = want.count; left > 0; --left) {
    size_t best = max_devices;
    for (size_t i = 0; i < group.free.size(); ++i) {
      if (group.free[i] < want.amount || (chosen >> i & 1U) != 0) continue;
      if (best == max_devices || group.free[i] < group.free[best]) best = i;
    }
    if (best == max_devices) return 0;
    chosen |= uint64_t{1} << best;
  }
  return chosen;
}

held_devices device_table::take(const device_group &group, const ask_class &c, uint64_t devices) {
  const device_want want = want_of(c, group.type, group.size);
  if (static_cast<uint32_t>(__builtin_popcountll(devices)) != want.count) return {};
  for (uint64_t left = devices; left != 0; left &= left - 1) {
    const auto device = static_cast<size_t>(__builtin_ctzll(left));
    if (device >= group.free.size() || group.free[device] < want.amount) return {};
  }
  return {group.type, want.amount, devices};
}

void device_table::hold(uint32_t slot, type_index type, int64_t amount, uint64_t devices) {
  if (slot >= by_slot_.size()) return;
  for (device_group &group : by_slot_[slot]) {
    if (group.type != type) continue;
    for (uint64_t left = devices; left != 0; left &= left - 1) {
      const auto device = static_cast<size_t>(__builtin_ctzll(left));
      if (device < group.free.size()) group.free[device] = sub_saturating(group.free[device], amount);
    }
    group.rank();
  }
}

const tenon_numbers *device_table::free_column(const std::string &type, uint32_t slots) {
  return columns_of(type, slots).free.data();
}

const int64_t *device_table::size_column(const std::string &type, uint32_t slots) {
  return columns_of(type, slots).size.data();
}

device_table::columns &device_table::columns_of(const std::string &type, uint32_t slots) {
  const auto [found, made] = columns_.try_emplace(type);
  columns &out = found->second;
  if (made) {
    for (uint32_t slot = 0; slot < by_slot_.size(); ++slot) fill(out, type, slot, by_slot_[slot]);
  }
  if (out.size.size() < slots) {  // nodes that divide nothing
    out.free.resize(slots, {nullptr, 0});
    out.size.resize(slots, 0);
  }
  return out;
}

void device_table::fill(columns &to, std::string_view type, uint32_t slot, const std::vector<device_group> &groups) {
  if (to.size.size() <= slot) {
    to.free.resize(slot + size_t{1}, {nullptr, 0});
    to.size.resize(slot + size_t{1}, 0);
  }
  to.free[slot] = {nullptr, 0};
  to.size[slot] = 0;
  for (const device_group &group : groups) {
    if (group.type_name != type) continue;
    to.free[slot] = {group.free.data(), group.free.size()};
    to.size[slot] = group.size;
  }
}

}  // namespace tenon::internal
