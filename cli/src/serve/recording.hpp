// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A file that the running scheduler writes to: the journal, the decisions. Never slower than memory for the cycle
// thread; written out now and then, and what fails is remembered.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

class recording {
 public:
  // Refuses a file that has something in it: a daemon that starts again must not lose what the last one wrote.
  [[nodiscard]] static result<std::unique_ptr<recording>> create(const std::filesystem::path &path);
  ~recording();
  recording(const recording &) = delete;
  recording &operator=(const recording &) = delete;

  void append(std::string_view bytes);  // from any thread
  // Writes out what was appended. From any thread.
  void flush();
  // The same for the last time: whole records, however soon the process ends after it.
  void finish();
  // The first failure. What came after it is not in the file, so that the file stays one that can be read.
  [[nodiscard]] std::optional<refusal> failure() const;

 private:
  explicit recording(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  void flush_with_writing_held();
  void write_out(std::string_view bytes);

  const std::filesystem::path path_;
  const int descriptor_;
  mutable std::mutex mutex_;  // of what follows
  std::string waiting_;
  std::optional<refusal> failure_;
  std::mutex writing_;  // of what follows
  bool finished_ = false;
};

}  // namespace tenon::cli
