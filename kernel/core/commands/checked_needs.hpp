// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Checked needs: what asks wanted lately, with what came of it when it was checked. Most asks want what others want,
// and what was good once stays so: a type keeps its index.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

class checked_needs {
 public:
  // Null: it was not checked, or so long ago that it is forgotten. Good until the next note().
  [[nodiscard]] const resources *find(amounts said) const {
    const checked &one = all_[place_of(said)];
    return !one.said.empty() && std::equal(said.begin(), said.end(), one.said.begin(), one.said.end(), same) ? &one.need
                                                                                                             : nullptr;
  }
  // It is good.
  void note(amounts said, const resources &need) {
    checked &one = all_[place_of(said)];
    one.said.clear();
    for (const named_amount &item : said) one.said.emplace_back(item.type, item.amount);
    one.need = need;
  }

 private:
  static constexpr unsigned place_bits = 6;

  struct checked {
    std::vector<std::pair<std::string, int64_t>> said;  // empty: nothing
    resources need;
  };

  static bool same(const named_amount &item, const std::pair<std::string, int64_t> &known) {
    return item.amount == known.second && item.type == known.first;
  }
  static size_t place_of(amounts said) {
    uint64_t mixed = 0;
    for (const named_amount &item : said) mixed = (mixed ^ static_cast<uint64_t>(item.amount)) * 0x9e3779b97f4a7c15;
    return mixed >> (64 - place_bits);
  }

  std::array<checked, size_t{1} << place_bits> all_;
};

}  // namespace tenon::internal
