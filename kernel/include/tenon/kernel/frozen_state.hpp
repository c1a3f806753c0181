// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The state of a kernel as of one moment, in blocks that later moments share where nothing changed.
#pragma once

#include <cstdint>
#include <memory>

#include "tenon/kernel/snapshot.hpp"

namespace tenon {

// Never changes: read and let go on any thread. All of it is of the moment between the same two commands, so
// that sums agree with what they are sums of.
class frozen_state {
 public:
  struct impl;
  explicit frozen_state(std::unique_ptr<const impl> of);
  ~frozen_state();
  frozen_state(const frozen_state &) = delete;
  frozen_state &operator=(const frozen_state &) = delete;

  [[nodiscard]] int64_t now_ms() const;
  [[nodiscard]] uint64_t commands() const;  // that the kernel had applied by then

  // The parts as plain values, of those that were frozen.
  [[nodiscard]] kernel_snapshot plain(snapshot_part parts = snapshot_part::all) const;

 private:
  std::unique_ptr<const impl> impl_;
};

}  // namespace tenon
