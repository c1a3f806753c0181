// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a new configuration no longer names.
#pragma once

#include <string>
#include <vector>

#include "tenon/kernel/queue_config.hpp"

namespace tenon::service {

// A line for each partition of which something is left out, for whoever put `now` in force: a name that was mistyped
// or renamed looks the same. Of a queue that is left out, those below it are not named.
[[nodiscard]] std::vector<std::string> left_out(const cluster_config &before, const cluster_config &now);

}  // namespace tenon::service
