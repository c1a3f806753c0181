// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Private copies of libraries, by digest. What was verified is what is opened. A library that is overwritten while it
// is in use does not take the process down.
#pragma once

#include <filesystem>

#include "tenon/host/library_file.hpp"

namespace tenon::host {

// The copy's path, or empty where there is no private directory to copy to from which libraries may be opened.
// An existing copy is compared byte for byte. Copies that nobody asked for in 30 days are removed.
[[nodiscard]] std::filesystem::path private_copy(const library_file &file,
                                                 const std::filesystem::path &cache_directory);

}  // namespace tenon::host
