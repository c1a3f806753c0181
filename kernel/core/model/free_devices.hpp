// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Device room: what the devices of a node would have free, were some of its allocations gone or one more there.
#pragma once

#include <vector>

#include "model/device_records.hpp"
#include "model/device_table.hpp"

namespace tenon::internal {

class free_devices {
 public:
  // As the node is now, of the types in the mask.
  void start(const std::vector<device_group> &groups, uint64_t types);
  void give(const held_list &held) { change(held, 1); }
  void take(const held_list &held) { change(held, -1); }
  // One more of the class, as far as the devices are there.
  void place(const ask_class &c);

  [[nodiscard]] bool empty() const { return groups_.empty(); }
  [[nodiscard]] bool fits(const ask_class &c) const;
  // The class wants devices of the type that are not there.
  [[nodiscard]] bool lacks(const ask_class &c, type_index type) const;

 private:
  void change(const held_list &held, int sign);
  static void add(device_group &group, int64_t amount, uint64_t devices);

  std::vector<device_group> groups_;
};

}  // namespace tenon::internal
