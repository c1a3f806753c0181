// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tenon::rest {

// Whether a client takes gzip: Accept-Encoding names it, without q=0.
[[nodiscard]] bool takes_gzip(std::string_view accept_encoding);

// Bodies from this size on are worth it.
inline constexpr size_t least_compressed = 1400;

[[nodiscard]] std::string gzip(std::string_view text);

}  // namespace tenon::rest
