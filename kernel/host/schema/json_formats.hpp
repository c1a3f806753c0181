// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// JSON Schema's formats of texts.
#pragma once

#include <string_view>

namespace tenon::host {

// date, time and date-time, as RFC 3339 has them. True for all others: they say nothing.
[[nodiscard]] bool has_format(std::string_view format, std::string_view text);

}  // namespace tenon::host
