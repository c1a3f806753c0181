// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A partition made of the plain values that it was saved as.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "forward.hpp"
#include "model/administrators_stops.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/refusal.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::internal {

struct core;
class partition_restorer;

// What of the state names nothing that is there, or what is there twice: whatever it says, it can be restored else.
[[nodiscard]] std::optional<refusal> problem_with(const saved_state &s, const kernel_options &options);

[[nodiscard]] administrators_stops restored_from(const saved_stops &from);

// Restores what problem_with() finds nothing against.
class kernel_restorer {
 public:
  explicit kernel_restorer(const saved_state &from);
  ~kernel_restorer();

  // The next partition. It decides on as the one that was saved, whose policies the source must have.
  [[nodiscard]] result<std::unique_ptr<partition>> next(core &in);
  void arm(core &in);  // the timers, once all partitions are there

 private:
  const saved_state &from_;
  std::vector<std::unique_ptr<partition_restorer>> restorers_;
};

}  // namespace tenon::internal
