// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads small text files.
#pragma once

#include <filesystem>
#include <string>

#include "tenon/kernel/refusal.hpp"

namespace tenon::host {

// Refuses what is absent, unreadable, no regular file or larger than 4 MiB.
[[nodiscard]] result<std::string> read_text_file(const std::filesystem::path &path);

}  // namespace tenon::host
