// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// From a manifest to a file that may be opened: digest, lint, and a copy that nobody else can change.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tenon/host/library_lint.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::host {

struct verified_library {
  std::filesystem::path shown_as;   // the file beside the manifest
  std::filesystem::path open_path;  // what to open: a private copy with the same bytes, or the file itself
  std::string digest;
  library_traits traits;

  // The file itself is opened where a copy would not find its own libraries ($ORIGIN), or where there is no place
  // for one. Its bytes are compared once more after opening then.
  [[nodiscard]] bool in_place() const { return open_path == shown_as; }
};

// Reads the library once. Compares its digest with the manifest's and with `pinned`, the deployment's, where there is
// one. Lints it, and copies it below `cache_directory` under its digest. Without a directory it is opened in place.
[[nodiscard]] result<verified_library> verify_library(const module_manifest &manifest,
                                                      const std::optional<std::string> &pinned,
                                                      const std::filesystem::path &cache_directory);

// After opening in place: whether the file still is what was verified.
[[nodiscard]] std::optional<refusal> changed_since(const verified_library &library);

}  // namespace tenon::host
