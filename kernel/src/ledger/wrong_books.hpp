// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::internal {

// Ends the process: the change, and what of it would be wrong, are written to the standard error.
[[noreturn]] void end_with_wrong_books(std::string_view change, std::string_view where) noexcept;

}  // namespace tenon::internal
