// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Copies of a kernel that now and then take a step beside it: they decide the same. And questions to it, which change
// nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenon/kernel/kernel.hpp"

namespace tenon::sim {

class copied_state {
 public:
  // A command that `k` is going to apply.
  void before(kernel &k, int64_t now_ms, const command &c);
  // What it decided, in the order of the decisions; then, where it decided otherwise than the copy.
  void hear(const decision_view &d);
  void forget();  // what happened to it then did not happen to the copy
  [[nodiscard]] std::vector<std::string> differences(kernel &k);

 private:
  uint64_t turn_ = 0;
  bool compared_ = false;
  std::vector<std::string> copy_said_, said_;
};

}  // namespace tenon::sim
