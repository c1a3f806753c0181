// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Past use: what an application had at most and what it has used, for people to read. No decision depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/kernel/resources.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::internal {

struct past_use {
  struct ended {
    past_use_kind what;
    std::string instance_type;
    resources amount_seconds;
  };
  resources most;             // allocated, or of placeholders: each type by itself
  std::vector<ended> by_end;  // by kind, then instance type

  // An allocation ended after so many milliseconds.
  void add(past_use_kind what, const std::string &instance_type, const resources &need, int64_t lasted_ms);
  // Its application has `now` at this moment.
  void raise(const resources &now) {
    for_each_type(now, [&](type_index t, int64_t amount) { raise(t, amount); });
  }
  void raise(type_index t, int64_t amount) {
    if (amount > most[t]) most.set(t, amount);
  }
  // Nothing of these types, as a mask, is kept.
  void forget(uint64_t forgotten);
};

}  // namespace tenon::internal
