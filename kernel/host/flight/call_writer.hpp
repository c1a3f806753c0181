// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Writes the record of a call. docs/flight-record.md has its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "calls/call_input.hpp"

namespace tenon::host {

// Of a file. A batch that needs more has its first items alone.
inline constexpr size_t most_record_bytes = size_t{4} << 20;
inline constexpr std::string_view call_file_head = "tenon-call 1\n";
inline constexpr std::string_view call_file_ending = ".call";

// What a record has besides the input.
struct call_facts {
  std::string_view record;                       // the lines that people read
  std::string_view manifest;                     // file of the module
  std::array<std::string_view, 2> journal = {};  // whole entries, the last ones, in two parts
};

// Gives how many bytes it took: 0 where not even the facts have room.
[[nodiscard]] size_t write_call(char *room, size_t bytes, const call_facts &facts, const call_input &input);

// Puts them into the file that is called `key` with the ending, in place of what was there. From a signal handler, too.
bool write_call_file(std::string_view folder, std::string_view key, std::string_view bytes);

}  // namespace tenon::host
