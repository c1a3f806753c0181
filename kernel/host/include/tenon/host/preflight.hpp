// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Opens a library in a child process first: whatever its constructors and init do, they do it there.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "tenon/kernel/refusal.hpp"

namespace tenon::host {

struct preflight_options {
  std::filesystem::path program;  // tenon-preflight
  std::chrono::milliseconds timeout{10'000};
  std::filesystem::path cache_directory;  // where passes are remembered; empty: nowhere
};

struct preflight_subject {
  std::filesystem::path library;
  std::string digest;
  std::filesystem::path shown_as;  // the file to name in a refusal
  // Libraries that this process has opened already: opened before the subject, because two libraries may
  // be harmless alone and abort the process together.
  std::span<const std::filesystem::path> companions;
};

// Nothing when the library opened, initialised, described itself, deinitialised and let its process end, all
// within the timeout. The child and its process group are gone when this returns. Only passes are remembered,
// by digest, companions and this build.
[[nodiscard]] std::optional<refusal> preflight(const preflight_subject &subject, const preflight_options &options);

}  // namespace tenon::host
