// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Directories whose content nobody else could have written.
#pragma once

#include <filesystem>

namespace tenon::host {

// $XDG_CACHE_HOME/tenon, else $HOME/.cache/tenon, else empty.
[[nodiscard]] std::filesystem::path default_cache_directory();

// `base`/`name`, made if need be with access for this user alone. Empty where it cannot be made, belongs to
// somebody else, or others may write to it.
[[nodiscard]] std::filesystem::path private_directory(const std::filesystem::path &base, const char *name);

}  // namespace tenon::host
