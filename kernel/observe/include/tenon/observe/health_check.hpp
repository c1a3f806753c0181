// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One thing that can be well or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tenon::observe {

struct health_check {
  // It fails where the scheduler does not do its work, and warns where something wants attention and scheduling goes
  // on.
  enum class state : uint8_t { well, warns, fails } is = state::well;
  std::string name;
  std::string meaning;    // what is looked at
  std::string diagnosis;  // what was found; well: nothing
};

[[nodiscard]] std::string_view name(health_check::state is);  // "healthy", "warning", "unhealthy"

// Well where nothing was found.
[[nodiscard]] inline health_check check_of(std::string name, std::string meaning, health_check::state where_found,
                                           std::string diagnosis) {
  const auto is = diagnosis.empty() ? health_check::state::well : where_found;
  return {is, std::move(name), std::move(meaning), std::move(diagnosis)};
}

}  // namespace tenon::observe
