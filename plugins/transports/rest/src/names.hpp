// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Names in paths: what they may look like, and how they are compared.
#pragma once

#include <string>
#include <string_view>

namespace tenon::rest {

// All throw refused, with the field's message, where a name cannot be one.
void check_queue_name(std::string_view path);
void check_user_name(std::string_view name);
void check_group_name(std::string_view name);

// Queue names differ by more than the case of letters.
[[nodiscard]] bool same_without_case(std::string_view a, std::string_view b);
[[nodiscard]] std::string lower(std::string_view text);

}  // namespace tenon::rest
