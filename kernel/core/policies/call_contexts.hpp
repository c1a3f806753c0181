// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Call contexts: what every call of a policy of one partition is told beside its columns.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/batch_builder.hpp"
#include "policies/policy_batch.hpp"

namespace tenon::internal {

class call_contexts {
 public:
  call_contexts(const int64_t &now_ms, const ask_shapes &shapes) : now_ms_(now_ms), shapes_(shapes) {}

  // Whenever there are more of them.
  void name_types(const resource_types &types) {
    type_texts_.clear();
    for (type_index t = 0; t < types.count(); ++t) type_texts_.push_back({types.name(t).data(), types.name(t).size()});
  }
  [[nodiscard]] call_context now() const { return {type_texts_, now_ms_, batches_, shapes_.generation()}; }

 private:
  const int64_t &now_ms_;
  const ask_shapes &shapes_;
  std::vector<tenon_text> type_texts_;  // as the ABI hands them out
  mutable batch_builder batches_;       // scratch of calls
};

}  // namespace tenon::internal
