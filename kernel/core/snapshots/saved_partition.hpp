// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A partition as plain values, for a journal that begins with it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/timers.hpp"
#include "forward.hpp"
#include "model/administrators_stops.hpp"
#include "tenon/kernel/refusal.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::internal {

class partition_saver;

// `partition`: the name of one that is not there.
[[nodiscard]] saved_stops saved_of(const std::string &partition, const administrators_stops &from);

// Of the kernel's partitions, in this order.
class kernel_saver {
 public:
  explicit kernel_saver(saved_state &to);
  ~kernel_saver();

  // Why it cannot be saved, or nothing.
  [[nodiscard]] std::optional<refusal> add(const partition &from);
  // What these timers of those partitions are about. In the order in which they were armed.
  void add(const std::vector<timer> &all);

 private:
  saved_state &to_;
  std::vector<std::unique_ptr<partition_saver>> savers_;
};

}  // namespace tenon::internal
