// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Seed options: which seeds the command line of a property's program names.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace tenon::sim {

struct seed_range {
  uint64_t first = 1, count = 0;
};

// `--seeds N [--first SEED]`, both above 0. Nothing: it says something else.
inline std::optional<seed_range> read_seeds(int argc, char **argv) {
  seed_range out;
  const auto read = [&](int at, std::string_view option, uint64_t &to) {
    const std::string_view number = argc > at + 1 && argv[at] == option ? argv[at + 1] : "";
    const auto end = std::from_chars(number.data(), number.data() + number.size(), to);
    return !number.empty() && end.ec == std::errc() && end.ptr == number.data() + number.size() && to != 0;
  };
  if (!read(1, "--seeds", out.count) || (argc != 3 && (argc != 5 || !read(3, "--first", out.first)))) return {};
  return out;
}

}  // namespace tenon::sim
