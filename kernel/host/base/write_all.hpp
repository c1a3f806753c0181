// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Writes all of some bytes to a file.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>

#include "base/descriptor.hpp"

namespace tenon::host {

// False where the file takes no more; some of the bytes may be there then.
[[nodiscard]] inline bool write_all(const descriptor &to, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(to.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(wrote));
  }
  return true;
}

}  // namespace tenon::host
