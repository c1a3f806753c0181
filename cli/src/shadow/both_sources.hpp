// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The policies of two deployments for one kernel and its copies: those of the second one have names of their own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/policies.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::cli {

// Before the names of the second one's. No policy can be called so.
inline constexpr std::string_view of_the_shadow = "shadow:";

class both_sources final : public policy_source {
 public:
  // Both outlive it.
  both_sources(policy_source &first, policy_source &second) : first_(first), second_(second) {}

  [[nodiscard]] bool provides(module_kind kind, std::string_view name) const override;
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override;
  std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) override;
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override;

 private:
  policy_source &first_, &second_;
};

// Orders of nodes, queues and applications by the names of the second one.
void use_second_orders(partition_config &of);

}  // namespace tenon::cli
