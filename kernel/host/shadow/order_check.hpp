// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether two policies order items alike, whatever their keys are.
//
// Items stand in the order of the first's keys, and each is compared with those that stand beside it: the two orders
// are the same where all neighbours stand the same way in both.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::host {

// Words of a key, and how many of them, from the front, are the order.
struct key_shape {
  uint32_t words = 0, ordering = 0;
};

struct checked_item {
  std::string_view name;
  std::span<const uint64_t> first, shadow;  // ordering words
  int64_t until_ms = INT64_MAX;             // the shadow's key holds
};

class order_check {
 public:
  // keeps: what was said of an item is compared with what is said of others later. Else items are compared within a
  // batch alone.
  order_check(bool keeps, size_t most_bytes) : keeps_(keeps), most_bytes_(most_bytes) {}

  // `one` stands before `other`, or beside it, for the first, and otherwise for the shadow. tie: they are equal for one
  // of the two.
  using found = std::function<void(const checked_item &one, const checked_item &other, bool tie)>;
  // Items of one parent; a name is an item. The same time as `until_ms`. Whether what was kept had to be given up.
  bool check(std::string_view parent, std::span<const checked_item> items, int64_t now_ms, const found &differs);

 private:
  struct kept {
    std::string name;
    std::vector<uint64_t> first, shadow;
    int64_t until_ms = INT64_MAX;
    uint64_t batch = 0;

    [[nodiscard]] checked_item item() const { return {name, first, shadow, until_ms}; }
  };
  struct by_first {
    bool operator()(const kept *a, const kept *b) const {
      const auto order = a->first <=> b->first;
      return order != 0 ? order < 0 : a->name < b->name;
    }
  };
  struct family {
    std::map<std::string, std::unique_ptr<kept>, std::less<>> by_name;
    std::set<const kept *, by_first> in_order;
  };

  static void within(std::span<const checked_item> items, const found &differs);
  void keep(family &of, const checked_item &item);
  static void look_at_neighbours(const family &of, const kept &one, int64_t now_ms, const found &differs);

  const bool keeps_;
  const size_t most_bytes_;
  size_t bytes_ = 0;
  uint64_t batch_ = 0;
  std::map<std::string, family, std::less<>> families_;  // by parent
};

}  // namespace tenon::host
