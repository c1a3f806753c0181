// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The names beside which a name would stand that is not there: those that a slip near its end leaves.
#pragma once

#include <iterator>
#include <string_view>
#include <vector>

namespace tenon::internal {

// Returns up to four names on each side of `wanted`, in the order of the map.
template <class NameMap>
[[nodiscard]] std::vector<std::string_view> names_beside(const NameMap &by_name, std::string_view wanted) {
  constexpr int on_each_side = 4;
  auto first = by_name.lower_bound(wanted), last = first;
  for (int i = 0; i < on_each_side && first != by_name.begin(); ++i) --first;
  for (int i = 0; i < on_each_side && last != by_name.end(); ++i) ++last;
  std::vector<std::string_view> out;
  for (; first != last; ++first) out.push_back(first->first);
  return out;
}

}  // namespace tenon::internal
