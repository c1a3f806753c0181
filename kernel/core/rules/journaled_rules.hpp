// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What placement rules say, from outside and as the journal has it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core.hpp"
#include "policies/placement_rules.hpp"

namespace tenon::internal {

// The rules that modules provide. What a record of the command says of them holds: a replay needs no module.
class journaled_rules final : public rule_source {
 public:
  explicit journaled_rules(core &shared) : shared_(shared) {}

  [[nodiscard]] bool provides(const std::string &name) override;
  [[nodiscard]] std::string bind(const std::string &name, const std::string &configuration, uint32_t max_resource_types,
                                 std::unique_ptr<bound_policy> &out) override;
  // What the rule, or the record, says of the application.
  [[nodiscard]] placement_request::answer ask(const placement_rule &rule, placement_request &request);

 private:
  core &shared_;
};

}  // namespace tenon::internal
