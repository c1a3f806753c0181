// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A file for its owner alone, which is there whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// What can be said before there is anything to write: something is there, or the folder is not.
[[nodiscard]] std::optional<refusal> cannot_be_written(const std::string &path, bool replace);
// With mode 0600, and on the disk when this returns. `replace`: one that is there; else it is refused.
[[nodiscard]] std::optional<refusal> write_private_file(const std::string &path, std::string_view bytes, bool replace);

}  // namespace tenon::cli
