// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The bytes of a module's library, read once, so that what is checked is what is opened.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::host {

struct library_file {
  std::filesystem::path path;
  std::vector<std::byte> bytes;
  std::string digest;  // SHA-256 of the bytes
};

// Reads a regular file of at most 256 MiB. Never blocks on a pipe or device that stands in its place.
[[nodiscard]] result<library_file> read_library(const std::filesystem::path &path);

}  // namespace tenon::host
