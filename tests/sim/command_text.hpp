// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Commands for people: one line each.
#pragma once

#include <string>

#include "tenon/kernel/commands.hpp"

namespace tenon::sim {

[[nodiscard]] std::string text_of(const command &c);

// A configuration, a line each queue, rule and limit.
[[nodiscard]] std::string text_of(const cluster_config &c);

}  // namespace tenon::sim
