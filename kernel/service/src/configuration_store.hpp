// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Configurations that people sent, in a folder: a file of JSON for each policy group or RM that has one. What is kept
// is on the disk when keep() returns; a file is whole or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::service {

struct stored_configuration {
  std::string policy_group;
  std::string rm;  // empty: of all of the group
  std::string text;
  std::string by;
  uint64_t revision = 0;
  int64_t since_ms = 0;    // Unix
  std::string instead_of;  // checksum of the file's text at that time
  uint64_t instead_of_revision = 0;
  std::filesystem::path file;  // where it was found
};

class configuration_store {
 public:
  // Makes and changes nothing yet. Refused where `folder` is something else, or its parent is not there.
  [[nodiscard]] static result<configuration_store> open(std::filesystem::path folder);
  // All of them, by file name. Refused where one cannot be read.
  [[nodiscard]] result<std::vector<stored_configuration>> read() const;
  // In place of what is kept for the same group or RM. The refusal: it is not kept.
  [[nodiscard]] std::optional<refusal> keep(const stored_configuration &one) const;
  // Nothing is kept for it any more.
  void forget(const std::string &policy_group, const std::string &rm) const;

 private:
  explicit configuration_store(std::filesystem::path folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::filesystem::path file_of(const std::string &policy_group, const std::string &rm) const;

  std::filesystem::path folder_;
};

}  // namespace tenon::service
