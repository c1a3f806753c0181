// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/partition_name.hpp"

#include <algorithm>

namespace tenon {

std::optional<partition_name> read_partition_name(std::string_view text) {
  const size_t end = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  if (end == std::string_view::npos) return std::nullopt;
  return partition_name{text.substr(1, end - 1), text.substr(end + 1)};
}

std::string_view plain_partition(std::string_view text) {
  const auto name = read_partition_name(text);
  return name ? name->plain : text;
}

bool is_partition(std::string_view full, std::string_view text) {
  return text.empty() || full == text || plain_partition(full) == text;
}

void write_full_partition_name(std::string_view rm, std::string_view plain, std::span<char> out) {
  auto at = out.begin();
  *at++ = '[';
  at = std::copy(rm.begin(), rm.end(), at);
  *at++ = ']';
  std::copy(plain.begin(), plain.end(), at);
}

std::string full_partition_name(std::string_view rm, std::string_view plain) {
  std::string out(full_partition_length(rm, plain), '\0');
  write_full_partition_name(rm, plain, out);
  return out;
}

std::string partition_prefix(std::string_view rm) { return full_partition_name(rm, {}); }

}  // namespace tenon
