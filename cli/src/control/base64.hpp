// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes as text of JSON: base64 of RFC 4648, with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon::cli {

[[nodiscard]] std::string base64_of(std::string_view bytes);
// Nothing: it is no such text.
[[nodiscard]] std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace tenon::cli
