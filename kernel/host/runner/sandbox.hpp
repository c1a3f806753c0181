// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What this process gives up for good before code of a module runs in it, and once more after its library is open.
#pragma once

#include <cstdint>
#include <string>

namespace tenon::host::runner {

struct confinement {
  uint32_t in_force = 0;  // in_force_* of shared_pages.hpp
  uint32_t landlock = 0;  // version of its interface
};

// No program, no thread, no socket, no signal to others, no file but to read the libraries of the system and the
// folder of `library`; at most so much memory and so many descriptors. What this system does not have is left out.
[[nodiscard]] confinement confine(const std::string &library, uint64_t memory, uint64_t descriptors);

// From here on no file can be opened and no new code be mapped.
void close_files(const confinement &already);

}  // namespace tenon::host::runner
