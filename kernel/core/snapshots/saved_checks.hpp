// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Checks of a saved state whose bytes are right: what it says may be made up all the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/saved_state.hpp"

namespace tenon::internal {

// The first place where something is wrong: "asks[3]".
class wrong_place {
 public:
  [[nodiscard]] const std::string &text() const { return text_; }  // empty: nothing is

  void note(std::string_view list, size_t at) {
    if (text_.empty()) text_ = std::string(list) + '[' + std::to_string(at) + ']';
  }
  template <class T, class F>
  void check_each(std::string_view list, const std::vector<T> &all, F &&is_right) {
    for (size_t i = 0; i < all.size() && text_.empty(); ++i) {
      if (!is_right(all[i], i)) note(list, i);
    }
  }

 private:
  std::string text_;
};

// What names each other, in a partition whose places in lists are there; "": all of it does.
[[nodiscard]] std::string wrong_link(const saved_partition &p);
// Timers, once nothing is wrong with the partitions.
[[nodiscard]] std::string wrong_timer(const saved_state &s);

}  // namespace tenon::internal
