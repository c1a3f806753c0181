// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Tags as commands carry them.
#pragma once

#include <optional>
#include <string_view>

#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

// The value of a tag, whatever the case of its key; empty when there is none.
[[nodiscard]] std::string_view find_tag(texts tags, std::string_view key);
// True for 1 t T true True TRUE.
[[nodiscard]] bool tag_is_true(texts tags, std::string_view key);
// Amounts of a tag such as {"resources":{"vcore":{"value":1000}}}: nothing unless some amount is above 0 and
// none below.
[[nodiscard]] std::optional<amount_map> amounts_in_tag(std::string_view json);

}  // namespace tenon::internal
