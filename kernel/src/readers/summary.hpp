// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Summary: what readers see of a partition beside its lists.
#pragma once

#include <cstdint>

#include "model/partition_model.hpp"
#include "policies/node_sorting.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::internal {

class summary {
 public:
  // `sorting`: of nodes. `allocations`: live ones, foreign left out.
  summary(const partition_model &of, const node_sorting &sorting, const uint64_t &allocations)
      : of_(of), sorting_(sorting), allocations_(allocations) {}

  [[nodiscard]] partition_snapshot head() const;  // of a snapshot: what is no list, and counts no list
  [[nodiscard]] partition_snapshot sums() const;  // that, and how many applications are in each state

 private:
  const partition_model &of_;
  const node_sorting &sorting_;
  const uint64_t &allocations_;
};

}  // namespace tenon::internal
