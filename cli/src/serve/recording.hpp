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
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

class recording {
 public:
  // Refuses a file that has something in it: a daemon that starts again must not lose what the last one wrote.
  // `at_once`: what is appended is handed to the system before append() returns, so that it is in the file however the
  // process ends.
  [[nodiscard]] static result<std::unique_ptr<recording>> create(const std::filesystem::path &path, bool at_once);
  ~recording();
  recording(const recording &) = delete;
  recording &operator=(const recording &) = delete;

  void append(std::string_view bytes);  // a whole record or line; from any thread
  // Writes out what was appended. From any thread.
  void flush();
  // The same for the last time: whole records, however soon the process ends after it.
  void finish();
  // The first failure. The file ends with the last whole record before it.
  [[nodiscard]] std::optional<refusal> failure() const;

 private:
  recording(std::filesystem::path path, int descriptor, bool at_once)
      : path_(std::move(path)), descriptor_(descriptor), at_once_(at_once) {}
  void flush_with_writing_held();
  // `sizes`: of the records.
  void write_out(std::string_view bytes, const std::vector<size_t> &sizes);
  void fail(int error, size_t written, const std::vector<size_t> &sizes);

  const std::filesystem::path path_;
  const int descriptor_;
  const bool at_once_;
  mutable std::mutex mutex_;  // of what follows
  std::string waiting_;
  std::vector<size_t> waiting_sizes_;
  std::optional<refusal> failure_;
  std::mutex writing_;  // of what follows
  bool finished_ = false;
  size_t whole_ = 0;  // bytes of the file that are whole records
};

}  // namespace tenon::cli
