// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The whole state of a scheduler as JSON, and back.
#pragma once

#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::cli {

// Keys are the members of snapshot.hpp; states are their names.
[[nodiscard]] std::string to_json(const kernel_snapshot &state);
// What to_json wrote. Unknown keys are passed over, missing ones give the default.
[[nodiscard]] result<kernel_snapshot> read_dump(std::string_view text);

}  // namespace tenon::cli
