// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people did, appended to a file as it happens: a line of JSON each, on the disk before the next one.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tenon/kernel/refusal.hpp"
#include "tenon/observe/kernel_access.hpp"

namespace tenon::cli {

class audit_file {
 public:
  // Whether it could be opened, as far as that shows without making it.
  [[nodiscard]] static std::optional<refusal> refusal_of(const std::filesystem::path &path);
  // Goes on with a file that is there. Refused where it cannot be written to.
  [[nodiscard]] static result<std::unique_ptr<audit_file>> open(const std::filesystem::path &path);
  ~audit_file();
  audit_file(const audit_file &) = delete;
  audit_file &operator=(const audit_file &) = delete;

  void append(const observe::audited &what);  // from any thread
  // The last one, if what came after it is not in the file: why.
  [[nodiscard]] std::optional<refusal> failure() const;
  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

 private:
  audit_file(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  const std::filesystem::path path_;
  const int descriptor_;
  mutable std::mutex mutex_;
  bool torn_ = false;  // the file ends within a line
  std::optional<refusal> failure_;
};

// What a service manager gives the daemon to keep. Empty: nothing.
[[nodiscard]] std::filesystem::path state_directory();

// Where it is unless the deployment names one: in the folder that a service manager gives the daemon. Empty: nowhere.
[[nodiscard]] std::filesystem::path default_audit_file();

}  // namespace tenon::cli
