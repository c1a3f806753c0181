// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A file that is written front to back, and read or written whole: failures are refusals.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// Buffers what is appended. A write that fails is remembered and told by close().
class output_file {
 public:
  // Replaces a file that exists.
  [[nodiscard]] static result<output_file> create(const std::filesystem::path &path);

  void append(std::string_view bytes);
  // Writes out what is buffered. The refusal when any write failed.
  [[nodiscard]] std::optional<refusal> close();

 private:
  std::filesystem::path path_;
  std::ofstream out_;
  std::string buffer_;
};

[[nodiscard]] result<std::string> read_file(const std::filesystem::path &path);
[[nodiscard]] std::optional<refusal> write_file(const std::filesystem::path &path, std::string_view bytes);

}  // namespace tenon::cli
