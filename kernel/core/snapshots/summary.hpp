// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Summary: what readers see of a partition beside its lists.
#pragma once

#include <cstdint>

#include "model/partition_model.hpp"
#include "policies/node_sorting.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::internal {

struct summary_access {
  const partition_identity &identity;
  const application_table &applications;
  const resource_types &types;
  const node_table &nodes;
  const std::unique_ptr<queue> &root;
  const resources &total;  // of all nodes
  const node_sortings &sortings;
  const uint64_t &allocations;  // live ones, foreign left out
};

class summary : summary_access {
 public:
  explicit summary(const summary_access &all) : summary_access(all) {}

  [[nodiscard]] partition_snapshot head() const;  // of a snapshot: what is no list, and counts no list
  [[nodiscard]] partition_snapshot sums() const;  // that, and how many applications are in each state
};

}  // namespace tenon::internal
