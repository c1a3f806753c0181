// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Of which application an ask is, by name.
#pragma once

#include <string>
#include <string_view>

namespace tenon::internal {

// An ask that names no application is independent, and has one of its own.
[[nodiscard]] inline std::string application_id_of(std::string_view named, std::string_view ask_key) {
  return named.empty() ? "@independent/" + std::string(ask_key) : std::string(named);
}

}  // namespace tenon::internal
