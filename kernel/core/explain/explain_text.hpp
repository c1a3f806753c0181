// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The words of explain.
#pragma once

#include <string_view>

#include "tenon/kernel/explain.hpp"

namespace tenon::internal {

// The change that raises the limit of a hold to `to`.
[[nodiscard]] change raise(change_kind kind, const obstacle &h, int64_t to);
obstacle &add_obstacle(explanation &out, obstacle_kind kind, std::string_view who);
change &add_change(explanation &out, change_kind kind, std::string_view who);
// Fills every `text` of the explanation, or of its obstacles alone.
void put_as_text(explanation &e, std::string_view held_up = {});  // a line, or nothing
void put_obstacles_as_text(explanation &e);

}  // namespace tenon::internal
