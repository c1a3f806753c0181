// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The dashboard, compiled in: the files of dashboard/.
#pragma once

#include <string_view>

namespace tenon::rest {

// A file's text by its name; empty: there is no such file.
[[nodiscard]] std::string_view page_file(std::string_view name);

}  // namespace tenon::rest
