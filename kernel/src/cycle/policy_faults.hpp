// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Policy faults: a policy that fails is replaced by the built-in one at once, and the record of the step says so.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "policies/sort_policy.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct partition;

class policy_faults {
 public:
  explicit policy_faults(partition &p) : p_(p) {}

  void failed(sort_policy &policy);
  // What the record of the step that is played says.
  void fail_as_told();

  // Policies that others took the place of live until the next drain.
  void retire(std::unique_ptr<sort_policy> policy) { retired_.push_back(std::move(policy)); }
  [[nodiscard]] size_t retired() const { return retired_.size(); }
  void flush() { retired_.clear(); }

 private:
  [[nodiscard]] policy_fault of(const sort_policy &policy) const;

  partition &p_;
  std::vector<std::unique_ptr<sort_policy>> retired_;
};

}  // namespace tenon::internal
