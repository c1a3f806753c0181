// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The script and the style of a report, compiled in: the files of page/. The script is joined from several files.
#pragma once

#include <string_view>

namespace tenon::cli {

// Returns "report.js" or "report.css".
[[nodiscard]] std::string_view page_file(std::string_view name);

}  // namespace tenon::cli
