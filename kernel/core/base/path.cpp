// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/path.hpp"

#include <algorithm>

#include "tenon/kernel/names.hpp"

namespace tenon::internal {

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t dot = path.find('.');
    parts.push_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

bool valid_path(std::string_view path) {
  const auto parts = split_path(path);
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) { return is_queue_name(part); });
}

bool is_qualified(std::string_view path) { return path == root_queue_name || path.starts_with("root."); }

}  // namespace tenon::internal
