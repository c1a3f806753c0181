// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The built-in policies, and the orders of nodes that tests add to them.
#pragma once

#include "tenon/builtin/policy_source.hpp"

namespace tenon::testing {

class policies_with_orders : public builtin_policy_source {
 public:
  using builtin_policy_source::builtin_policy_source;

  [[nodiscard]] bool provides(module_kind kind, std::string_view name) const override;
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override;
};

}  // namespace tenon::testing
