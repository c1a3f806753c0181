// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What this process gives up for good before code of a module runs in it, and once more after its library is open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::host::runner {

struct confinement {
  uint32_t in_force = 0;  // in_force_* of shared_pages.hpp
  uint32_t landlock = 0;  // version of its interface
};

// What the process may do besides.
struct permissions {
  std::vector<std::string> read, write;  // files and folders
  bool network = false, threads = false;
};

// No program, no signal to others, and but for what is permitted no thread, no socket, no file but to read the
// libraries of the system and the folder of `library`; at most so much memory and so many descriptors. What this system
// does not have is left out.
[[nodiscard]] confinement confine(const std::string &library, uint64_t memory, uint64_t descriptors,
                                  const permissions &permitted);

// From here on no file can be opened but those that are permitted, and no new code be mapped.
void close_files(const confinement &already, const permissions &permitted);

}  // namespace tenon::host::runner
