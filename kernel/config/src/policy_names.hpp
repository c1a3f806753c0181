// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which policies exist: the built-in ones, or what the deployment's modules provide.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::config {

using policy_names = std::optional<std::vector<std::string>>;

[[nodiscard]] const std::vector<std::string> &built_in_queue_sorts();
[[nodiscard]] const std::vector<std::string> &built_in_app_sorts();
[[nodiscard]] const std::vector<std::string> &built_in_node_sorts();
[[nodiscard]] const std::vector<std::string> &built_in_rules();
[[nodiscard]] const std::vector<std::string> &built_in_identities();

// `name` is provided, as far as is known: by `known` where that is given, else built in.
[[nodiscard]] bool provides(const policy_names &known, const std::vector<std::string> &built_in, std::string_view name);

// The nearest one, or all of them.
[[nodiscard]] std::string suggest(const policy_names &known, const std::vector<std::string> &built_in,
                                  std::string_view name);

}  // namespace tenon::config
