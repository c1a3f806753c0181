// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Same state, other decision: at moments of side a, what side b would decide there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "diff/differences.hpp"

namespace tenon::cli {

struct realigned_decisions {
  uint64_t every = 0;                   // decisions of side a between two moments
  uint64_t moments = 0;                 // at which side a decided something
  uint64_t same = 0;                    // the next decision of both
  uint64_t refused = 0;                 // side a's state is in the way of side b's configuration
  std::vector<first_difference> first;  // of others: `decision` is the moment, from 1

  [[nodiscard]] uint64_t other() const { return moments - same - refused; }
};

// A copy of a scheduler that was reloaded with these; null: it refuses them. `policies`: null where they are its own.
// `before`: how many decisions its timers made before; null: nobody wants to know.
[[nodiscard]] std::unique_ptr<engine> reloaded_copy(const engine &of, int64_t now_ms, const configurations &with,
                                                    policy_source *policies = nullptr, uint64_t *before = nullptr);
// The line of the first allocation, or end of one, of the next step, without its number; empty: there is none. Of one
// partition, or of all where the name is empty.
[[nodiscard]] std::string next_decision(engine &of, int64_t now_ms, std::string_view partition);

// The lines of all that it decides in the next round, without their numbers.
[[nodiscard]] std::vector<std::string> next_round(engine &of, int64_t now_ms, std::string_view partition);

// Plays side a once more, on schedulers that can be copied. `policies_of_b`: null where they are those of side a.
[[nodiscard]] realigned_decisions realign(const replay_side &again_a, const side_configuration &b,
                                          policy_source *policies_of_b, uint64_t every, size_t shown);

}  // namespace tenon::cli
