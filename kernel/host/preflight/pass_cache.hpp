// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which libraries passed preflight, as empty files in a directory that only this user can write.
#pragma once

#include <filesystem>
#include <string>

#include "tenon/host/preflight.hpp"

namespace tenon::host {

class pass_cache {
 public:
  // An empty directory, or one that others may write, remembers nothing.
  pass_cache(const std::filesystem::path &directory, const std::filesystem::path &program);

  [[nodiscard]] std::string key(const preflight_subject &subject) const;
  [[nodiscard]] bool passed(const std::string &key) const;
  void remember(const std::string &key) const;

 private:
  std::filesystem::path directory_;
  std::string build_;  // of the program: another one may judge differently
};

}  // namespace tenon::host
