// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Termination types by the names of the interface.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tenon/kernel/decisions.hpp"

namespace tenon::cli {

inline constexpr std::array all_terminations = {
    termination::stopped_by_rm,        termination::timeout, termination::preempted_by_scheduler,
    termination::placeholder_replaced, termination::unknown, termination::scheduling_failed,
};

// "PREEMPTED_BY_SCHEDULER" and the like; nothing for any other text.
[[nodiscard]] inline std::optional<termination> termination_of(std::string_view text) {
  for (const termination t : all_terminations) {
    if (name(t) == text) return t;
  }
  return std::nullopt;
}

}  // namespace tenon::cli
