// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Names of partitions: plain to a resource manager, [rm]plain inside, where several RMs may each have a "default".
// Written and read here and nowhere else.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tenon {

// An RM's ID has none of these, nor a plain name.
inline constexpr std::string_view partition_brackets = "[]";

struct partition_name {
  std::string_view rm;
  std::string_view plain;
};

// Nothing: the text is a plain name.
[[nodiscard]] std::optional<partition_name> read_partition_name(std::string_view text);
// The plain name of a text that is one, or has one.
[[nodiscard]] std::string_view plain_partition(std::string_view text);
// The text is what somebody calls the partition of this full name, who leaves out the RM, or all of it.
[[nodiscard]] bool is_partition(std::string_view full, std::string_view text);

[[nodiscard]] std::string full_partition_name(std::string_view rm, std::string_view plain);
// The same, written without a terminator to as many bytes as it has.
[[nodiscard]] constexpr size_t full_partition_length(std::string_view rm, std::string_view plain) {
  return rm.size() + plain.size() + partition_brackets.size();
}
void write_full_partition_name(std::string_view rm, std::string_view plain, std::span<char> out);
// What full names of an RM's partitions begin with.
[[nodiscard]] std::string partition_prefix(std::string_view rm);

}  // namespace tenon
