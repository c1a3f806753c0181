// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Class amount: how much of one type asks of a class need.
#pragma once

#include <cstdint>

#include "base/coarse_amount.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

struct class_amount {
  type_index type;
  coarse_amount coarse;  // the amount
  int64_t amount;        // above 0
};

}  // namespace tenon::internal
