// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// From a manifest to a file that may be opened: digest, lint, and a copy that nobody else can change.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tenon/host/library_lint.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::host {

enum class opened_by { this_process, another };

struct verified_library {
  std::filesystem::path shown_as;   // the file beside the manifest
  std::filesystem::path open_path;  // what to open: a private copy with the same bytes, or the file itself
  // To be opened before it: its own libraries, which it finds relative to where it stands ($ORIGIN) and a copy would
  // not.
  std::vector<std::filesystem::path> beside;
  std::string digest;
  library_traits traits;

  // The file itself is opened by another process where a copy would not find its own libraries, or where there is no
  // place for one, and by this one where the system has no sealed memory besides. Its bytes are compared once more
  // after opening then.
  [[nodiscard]] bool in_place() const { return open_path == shown_as; }
};

// Why the library is not the one that the manifest describes; nothing where it is.
[[nodiscard]] std::optional<refusal> check_digest(const module_manifest &manifest, const library_file &file);

// Reads the library once. Compares its digest with the manifest's and with `pinned`, the deployment's, where there is
// one. Lints it, and copies it below `cache_directory` under its digest. Where that cannot be, this process opens a
// copy in sealed memory, and another one opens the file in place.
[[nodiscard]] result<verified_library> verify_library(const module_manifest &manifest,
                                                      const std::optional<std::string> &pinned,
                                                      const std::filesystem::path &cache_directory,
                                                      opened_by who = opened_by::this_process);

// After opening in place: whether the file still is what was verified.
[[nodiscard]] std::optional<refusal> changed_since(const verified_library &library);

}  // namespace tenon::host
