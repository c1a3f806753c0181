// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Plain tar archives (ustar) of a few regular files, in memory. A library for archives of every kind would bring XML,
// ICU and five compressions into the daemon's process, and read forms that no pack has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

struct tar_member {
  std::string name;        // with its folders
  std::string_view bytes;  // of somebody else's text
};

// Returns an archive of these members in this order. Equal members give equal bytes: there is no time, no owner, and
// the mode is 0644. Requires names of at most 100 bytes behind at most 155 bytes of folders.
[[nodiscard]] std::string write_tar(std::span<const tar_member> members);

// Returns the members of an archive; their bytes are views into `archive`. `where` names the archive in refusals.
// Refuses everything but whole regular files: links, devices, folders, extended headers, a wrong checksum, a size that
// the archive does not have, a missing end, more than 16 members.
[[nodiscard]] result<std::vector<tar_member>> read_tar(std::string_view archive, const std::string &where);

}  // namespace tenon::cli
