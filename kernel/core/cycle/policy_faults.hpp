// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Policy faults: a policy that fails is replaced by the built-in one at once, and the record of the step says so.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "forward.hpp"
#include "policies/bound_sort_policy.hpp"
#include "queueing/rule_ports.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct policy_faults_access {
  core &shared;
  const std::string &partition_name;
  const resource_types &types;
  sort_orders &orders;
  sort_keys &keys;
};

class policy_faults final : public policy_fallback, policy_faults_access {
 public:
  explicit policy_faults(const policy_faults_access &all) : policy_faults_access(all) {}

  void failed(sort_policy &policy) override;
  void count(uint64_t faults) override;
  // What the record of the step that is played says.
  void fail_as_told();

  // Policies that others took the place of live until the next drain.
  void retire(std::unique_ptr<sort_policy> policy) { retired_.push_back(std::move(policy)); }
  void retire(std::unique_ptr<bound_policy> policy) { retired_others_.push_back(std::move(policy)); }
  // That of the canary which failed last, to be asked once more; null: it has gone.
  [[nodiscard]] std::unique_ptr<sort_policy> take_failed_canary();
  [[nodiscard]] size_t retired() const { return retired_.size(); }
  void flush() {
    retired_.clear();
    retired_others_.clear();
  }

 private:
  [[nodiscard]] policy_fault of(const sort_policy &policy) const;

  std::vector<std::unique_ptr<sort_policy>> retired_;
  std::vector<std::unique_ptr<bound_policy>> retired_others_;
};

}  // namespace tenon::internal
