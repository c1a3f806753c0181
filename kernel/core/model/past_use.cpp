// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/past_use.hpp"

#include <algorithm>
#include <tuple>

namespace tenon::internal {

void past_use::add(past_use_kind what, const std::string &instance_type, const resources &need, int64_t lasted_ms) {
  auto at = std::lower_bound(by_end.begin(), by_end.end(), what, [&](const ended &one, past_use_kind wanted) {
    return std::tie(one.what, one.instance_type) < std::tie(wanted, instance_type);
  });
  if (at == by_end.end() || at->what != what || at->instance_type != instance_type) {
    at = by_end.insert(at, {what, instance_type, {}});
  }
  const int64_t seconds = std::max<int64_t>(0, lasted_ms) / 1000;
  for_each_type(need,
                [&](type_index t, int64_t amount) { at->amount_seconds.add(t, mul_saturating(amount, seconds)); });
}

void past_use::forget(uint64_t forgotten) {
  most.erase_all(forgotten);
  for (ended &one : by_end) one.amount_seconds.erase_all(forgotten);
}

}  // namespace tenon::internal
