// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tenon::config {

// SHA-256 of the bytes, as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace tenon::config
