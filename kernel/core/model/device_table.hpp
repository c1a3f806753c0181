// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Device table: the devices of a partition's nodes, by slot of the node table, for policies and for the search.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "tenon/abi/columns.h"
#include "tenon/kernel/devices.hpp"

namespace tenon::internal {

// One type of a node in equal devices.
struct device_group {
  type_index type = no_type;
  std::string type_name;
  int64_t size = 0;
  std::vector<int64_t> free;    // by device; below 0 where more is held than there is
  std::vector<int64_t> ranked;  // the same, most first: the n-th says whether n devices have so much

  void rank();  // as they are free now
};

// Devices that an ask wants, each with the amount; a count of 0 cannot be had.
struct device_want {
  uint32_t count = 0;
  int64_t amount = 0;

  [[nodiscard]] bool fits(const std::vector<int64_t> &ranked) const {
    return count != 0 && count <= ranked.size() && ranked[count - 1] >= amount;
  }
};

// The devices of a type that a node order names for an ask.
struct device_choice {
  type_index type = no_type;
  uint64_t devices = 0;  // bit n: device n; 0: it leaves the choice
};

// What asks of a class want of a type on devices of a size. The class asks for an amount above 0 of it.
[[nodiscard]] device_want want_of(const ask_class &c, type_index type, int64_t size);

// Devices of a type that an ask wants and a node has not free.
struct device_lack {
  type_index type = no_type;
  uint32_t has = 0;       // devices of the node
  uint32_t wanted = 1;    // by the ask
  uint32_t missing = 0;   // of those
  bool mendable = false;  // so many more devices of the same size would do
};

class device_table {
 public:
  // Bit t: some node divides type t.
  [[nodiscard]] uint64_t divided() const { return divided_; }
  // Some node divides a type that asks of the class want.
  [[nodiscard]] bool concerns(const ask_class &c) const { return (c.types & divided_) != 0; }
  [[nodiscard]] const std::vector<device_group> &of(uint32_t slot) const {
    static const std::vector<device_group> none;
    return slot < by_slot_.size() ? by_slot_[slot] : none;
  }
  [[nodiscard]] const device_group *find(uint32_t slot, type_index type) const;

  // Every type of the class that the node divides has the devices.
  [[nodiscard]] bool fits(const ask_class &c, uint32_t slot) const;
  // The devices to take, as a mask: of those with enough the ones with the least. 0: they are not there.
  [[nodiscard]] static uint64_t choose(const device_group &group, const device_want &want);
  // An ask of the class on these devices; of no type where they are not as many as it wants, or one has not the amount.
  [[nodiscard]] static held_devices take(const device_group &group, const ask_class &c, uint64_t devices);

  // By slot: what each device of the type has free, and how large devices are (0: not divided). Kept from the
  // first call on; valid until a node's devices are set.
  [[nodiscard]] const tenon_numbers *free_column(const std::string &type, uint32_t slots);
  [[nodiscard]] const int64_t *size_column(const std::string &type, uint32_t slots);

 private:
  friend class ledger;
  friend class node_table;
  // The node's devices, all of them free. None: the node divides nothing.
  void set(uint32_t slot, std::vector<device_group> groups);
  // Takes the amount from each of the devices; below 0: gives it back. Devices and types that the node has not are left
  // out.
  void hold(uint32_t slot, type_index type, int64_t amount, uint64_t devices);

  struct columns {
    std::vector<tenon_numbers> free;
    std::vector<int64_t> size;
  };
  columns &columns_of(const std::string &type, uint32_t slots);
  static void fill(columns &to, std::string_view type, uint32_t slot, const std::vector<device_group> &groups);

  std::vector<std::vector<device_group>> by_slot_;  // as long as the last node with devices needs
  std::map<std::string, columns> columns_;          // that some policy reads
  uint32_t nodes_of_type_[max_types] = {};
  uint64_t divided_ = 0;
};

}  // namespace tenon::internal
