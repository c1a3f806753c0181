// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/free_devices.hpp"

#include <algorithm>

namespace tenon::internal {

void free_devices::start(const std::vector<device_group> &groups, uint64_t types) {
  groups_.clear();
  for (const device_group &group : groups) {
    if ((types >> group.type & 1U) != 0) groups_.push_back(group);
  }
}

void free_devices::place(const ask_class &c) {
  for (device_group &group : groups_) {
    if ((c.types >> group.type & 1U) == 0) continue;
    const device_want want = want_of(c, group.type, group.size);
    add(group, -want.amount, device_table::choose(group, want));
  }
}

bool free_devices::fits(const ask_class &c) const {
  return std::none_of(groups_.begin(), groups_.end(), [&](const device_group &group) { return lacks(c, group.type); });
}

bool free_devices::lacks(const ask_class &c, type_index type) const {
  return (c.types >> type & 1U) != 0 && std::any_of(groups_.begin(), groups_.end(), [&](const device_group &group) {
           return group.type == type && !want_of(c, type, group.size).fits(group.ranked);
         });
}

void free_devices::change(const held_list &held, int sign) {
  for (const held_devices &h : held) {
    for (device_group &group : groups_) {
      if (group.type == h.type) add(group, sign * h.amount, h.devices);
    }
  }
}

void free_devices::add(device_group &group, int64_t amount, uint64_t devices) {
  for (uint64_t left = devices; left != 0; left &= left - 1) {
    const auto device = static_cast<size_t>(__builtin_ctzll(left));
    if (device < group.free.size()) group.free[device] = add_saturating(group.free[device], amount);
  }
  group.rank();
}

}  // namespace tenon::internal
