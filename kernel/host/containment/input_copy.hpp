// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The numbers that a call is given, to be put back where a module wrote them: they are the scheduler's own.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/abi/columns.h"

namespace tenon::host {

class input_copy {
 public:
  // The indexes of its items, and of those in each column: numbers, presence masks, and where texts lie.
  void take(const tenon_batch &batch);
  // Puts back what differs. Whether anything did. The batch is the one that was taken.
  [[nodiscard]] bool put_back(const tenon_batch &batch) const;

 private:
  std::vector<uint32_t> items_;
  std::vector<uint64_t> values_;
};

}  // namespace tenon::host
