// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How usable the free capacity of the nodes is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/run_ledger.hpp"

namespace tenon::cli {

// What an ask takes, and its part of all asks.
struct typical_ask {
  indexed_amounts amounts;
  double weight = 0;
};

// Follows what is free on each node.
class free_capacity {
 public:
  // `types`: how many there are; one of them, `type`, is looked at.
  free_capacity(size_t types, uint32_t type) : types_(types), type_(type) {}

  void change_capacity(uint32_t node, const indexed_amounts &by, int64_t sign);
  void change_use(uint32_t node, const indexed_amounts &by, int64_t sign);

  // The part of all that is free which lies on nodes that are used in part. NaN where nothing is free.
  [[nodiscard]] double scattered() const;
  // The part of all that is free which a typical ask cannot use, because the node has not enough of it or of
  // something else. It is the mean over the asks by their weights, which add up to 1. NaN where nothing is free.
  [[nodiscard]] double stranded(std::span<const typical_ask> asks) const;
  // How many asks that take so much each have room on all nodes together.
  [[nodiscard]] uint64_t room_for(const indexed_amounts &ask) const;

 private:
  void grow(uint32_t node);
  [[nodiscard]] int64_t free_of(size_t node) const { return free_[node * types_ + type_]; }

  size_t types_;
  uint32_t type_;
  std::vector<int64_t> free_;      // [node][type]
  std::vector<int64_t> capacity_;  // [node], of the type
};

}  // namespace tenon::cli
