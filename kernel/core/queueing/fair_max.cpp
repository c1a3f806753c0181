// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/fair_max.hpp"

#include "queueing/sort_keys.hpp"

namespace tenon::internal {

void fair_max::refresh(queue &q) {
  resources effective = q.parent == nullptr ? total : q.parent->fair_max;
  if (q.parent != nullptr) for_each_type(q.max, [&](type_index t, int64_t amount) { effective.set(t, amount); });
  if (effective != q.fair_max) {
    q.fair_max = std::move(effective);
    keys.changed(q, column::limits);
  }
  for (const auto &child : q.children) refresh(*child);
}

}  // namespace tenon::internal
