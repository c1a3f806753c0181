// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A file of a trace: text, as it is or compressed by gzip, as archives keep it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// The most that a file may hold when it is taken apart.
constexpr uint64_t most_trace_bytes = uint64_t{4} << 30;

// What is compressed is told by its first bytes, not by its name. A damaged, cut or larger file is refused.
[[nodiscard]] result<std::string> read_trace_file(const std::filesystem::path &path,
                                                  uint64_t most_bytes = most_trace_bytes);

}  // namespace tenon::cli
