// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What readers of frozen states see of a kernel: it must be what the kernel is, and stay what it was.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenon/kernel/kernel.hpp"

namespace tenon::sim {

class read_state {
 public:
  // From the kernel's snapshot, a line each. Freezes now and then only, so that changes gather.
  [[nodiscard]] std::vector<std::string> differences(kernel &k);

 private:
  uint64_t turn_ = 0;
  std::shared_ptr<const frozen_state> before_;
  kernel_snapshot was_;
};

}  // namespace tenon::sim
