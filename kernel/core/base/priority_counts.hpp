// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Priority counts: how many things have which priority, and which priority is the highest.
#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <utility>

namespace tenon::internal {

// A change costs the logarithm of the number of different priorities, which are one or two nearly everywhere. One of
// the highest priority costs less.
class priority_counts {
 public:
  void add(int32_t priority) { is_highest(priority) ? ++counts_.rbegin()->second : ++counts_[priority]; }
  // Requires that a thing with this priority was added.
  void remove(int32_t priority) {
    const auto found = is_highest(priority) ? counts_.end() - 1 : counts_.find(priority);
    if (--found->second == 0) counts_.erase(found);
  }
  [[nodiscard]] bool empty() const { return counts_.empty(); }
  [[nodiscard]] uint64_t size() const {
    uint64_t out = 0;
    for (const auto &[priority, count] : counts_) out += count;
    return out;
  }
  // INT32_MIN: nothing is counted.
  [[nodiscard]] int32_t highest() const { return counts_.empty() ? INT32_MIN : counts_.rbegin()->first; }

 private:
  [[nodiscard]] bool is_highest(int32_t priority) const {
    return !counts_.empty() && counts_.rbegin()->first == priority;
  }

  boost::container::flat_map<int32_t, uint32_t, std::less<>,
                             boost::container::small_vector<std::pair<int32_t, uint32_t>, 2>>
      counts_;
};

}  // namespace tenon::internal
