// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sort key: the words that a sort policy gave an item.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace tenon::internal {

// Keys of one order have equally many words. An item that the policy holds back is not eligible.
struct sort_key {
  boost::container::small_vector<uint64_t, 3> words;
  int64_t not_before_ms = INT64_MIN;  // INT64_MIN, or later than the time when the key was made
  int64_t due_ms = INT64_MAX;         // to be made anew then, whatever changes
  int64_t armed_ms = INT64_MAX;       // when the timer fires that looks at due_ms; never later than that

  [[nodiscard]] bool held_back() const { return not_before_ms != INT64_MIN; }

  // As new, for an order of so many words. A timer that is armed stays.
  void reset(size_t count) {
    words.assign(count, 0);
    not_before_ms = INT64_MIN;
    due_ms = INT64_MAX;
  }

  // The first two words, 0 where there are fewer, and the item's number where these are all. Among equal keys the
  // smaller number is first.
  [[nodiscard]] std::array<uint64_t, 3> prefix(uint64_t number) const {
    return {words.empty() ? 0 : words[0], words.size() < 2 ? 0 : words[1], words.size() <= 2 ? number : 0};
  }

  // <0, 0 or >0, first word first.
  [[nodiscard]] int compare(const sort_key &other) const {
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] != other.words[i]) return words[i] < other.words[i] ? -1 : 1;
    }
    return 0;
  }
};

}  // namespace tenon::internal
