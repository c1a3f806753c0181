// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which policies exist: the built-in ones, or what the deployment's modules provide.
#pragma once

#include <string>
#include <string_view>

#include "tenon/config/queues.hpp"

namespace tenon::config {

// `name` is provided, as far as is known: by `known` where that says it of the kind, else built in.
[[nodiscard]] bool provides(const known_policies &known, module_kind kind, std::string_view name);

// The nearest one, or all of them.
[[nodiscard]] std::string suggest(const known_policies &known, module_kind kind, std::string_view name);

}  // namespace tenon::config
