// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Type lookup: resource types by name, those of the partition and behind them those that a command brings. These are
// interned when the command is applied, and have their index while it is checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

class type_lookup {
 public:
  explicit type_lookup(const resource_types &known) : known_(known) {}

  [[nodiscard]] type_index find(std::string_view name) const {
    if (const type_index found = known_.find(name); found != no_type) return found;
    const auto at = std::find(fresh_.begin(), fresh_.end(), name);
    return at == fresh_.end() ? no_type : known_.count() + static_cast<type_index>(at - fresh_.begin());
  }
  // no_type: there is no room for it.
  type_index bring(std::string_view name) {
    if (const type_index found = find(name); found != no_type) return found;
    if (known_.count() + fresh_.size() >= known_.limit()) return no_type;
    fresh_.push_back(name);
    return known_.count() + static_cast<type_index>(fresh_.size() - 1);
  }

  [[nodiscard]] uint32_t limit() const { return known_.limit(); }
  [[nodiscard]] const std::vector<std::string_view> &fresh() const { return fresh_; }  // in the order of their index
  void keep_fresh(size_t first) { fresh_.resize(first); }                              // the others are not brought

 private:
  const resource_types &known_;
  std::vector<std::string_view> fresh_;
};

}  // namespace tenon::internal
