// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which modules are the project's own: those that this host was built with, whatever a module calls itself.
#pragma once

#include <string_view>

namespace tenon::host {

// By the digest of its library. The build writes the table.
[[nodiscard]] bool is_own(std::string_view digest);

}  // namespace tenon::host
