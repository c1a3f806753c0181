// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Where a partition has its placement rules from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tenon/kernel/policies.hpp"

namespace tenon::internal {

class rule_source {
 public:
  virtual ~rule_source() = default;

  [[nodiscard]] virtual bool provides(const std::string &name) = 0;
  // "" or why the rule cannot be had. It may be had and `out` null: then it is known what it said, and nobody asks it.
  [[nodiscard]] virtual std::string bind(const std::string &name, const std::string &configuration,
                                         uint32_t max_resource_types, std::unique_ptr<bound_policy> &out) = 0;
};

}  // namespace tenon::internal
