// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queue paths: names joined with dots, from root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::internal {

// "a.b.c" as its parts.
[[nodiscard]] std::vector<std::string_view> split_path(std::string_view path);
// Every part is a valid queue name.
[[nodiscard]] bool valid_path(std::string_view path);
// "root" or below it.
[[nodiscard]] bool is_qualified(std::string_view path);

}  // namespace tenon::internal
