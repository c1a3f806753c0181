// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement rules: what one rule says about one application.
#pragma once

#include <functional>
#include <string>

#include "objects.hpp"

namespace tenon::naive {

struct placement {
  std::string path;   // empty: the rule does not apply
  std::string error;  // not empty: the application is refused
};

// Why a rule cannot be had, empty when it can.
[[nodiscard]] std::string rule_problem(const placement_rule_config &rule);

// `find` gives a queue by its path in lower case, or nullptr.
using queue_lookup = std::function<const queue *(const std::string &path)>;
[[nodiscard]] placement place_by(const placement_rule_config &rule, const application &a, const queue_lookup &find);

[[nodiscard]] bool is_queue_name(const std::string &name);

}  // namespace tenon::naive
