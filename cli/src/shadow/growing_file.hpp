// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A file that somebody else writes to, read as far as it goes, and again when it goes further.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

class growing_file {
 public:
  [[nodiscard]] static result<growing_file> open(const std::filesystem::path &path);

  // Reads up to `most` bytes more. False: there is nothing more by now.
  bool read_more(size_t most);
  [[nodiscard]] std::string_view bytes() const { return std::string_view(bytes_).substr(taken_); }  // read, not taken
  void take(size_t count);
  // That are written, and not taken.
  [[nodiscard]] uint64_t waiting() const;
  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

 private:
  growing_file(std::filesystem::path path, std::ifstream from) : path_(std::move(path)), from_(std::move(from)) {}

  std::filesystem::path path_;
  std::ifstream from_;
  std::string bytes_;
  size_t taken_ = 0;
  uint64_t read_ = 0;
};

}  // namespace tenon::cli
