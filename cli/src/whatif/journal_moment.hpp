// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The scheduler at a moment of a journal, whether that begins with a state or not.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "run/run_policies.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

struct journal_moment {
  std::string journal;
  std::optional<uint64_t> at;    // after so many commands; nothing: after all of them
  std::optional<int64_t> at_ms;  // at that time, Unix milliseconds
};

// The policies outlive what is given. Called by the thread that has the role of the cycle. Warnings go to `err`.
[[nodiscard]] result<std::unique_ptr<kernel>> kernel_at(const journal_moment &moment, const opened_policies &by,
                                                        std::ostream &err);

}  // namespace tenon::cli
