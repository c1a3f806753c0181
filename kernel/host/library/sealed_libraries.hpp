// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Libraries in sealed memory, by digest: what was checked is what is opened, whoever writes to the file meanwhile.
#pragma once

#include <filesystem>
#include <string>

#include "tenon/host/library_file.hpp"

namespace tenon::host {

// A path below /proc/self/fd that opens these bytes, which nobody can change from now on; empty where the system has no
// such memory or lets no code run from it. It opens them as long as this process lives: the dynamic linker knows a
// library by its path, so neither path nor descriptor is ever that of another one. Equal bytes have one copy. Any
// thread.
[[nodiscard]] std::filesystem::path sealed_copy(const library_file &file);

struct sealed_library {
  int descriptor = -1;  // stays open; -1: the path is none of sealed_copy()
  std::string digest;
};
[[nodiscard]] sealed_library find_sealed(const std::filesystem::path &path);

}  // namespace tenon::host
