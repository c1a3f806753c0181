// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Where two sides part: the first decision that differs, why each made its own, and the asks that were placed
// otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diff/left_alone.hpp"
#include "tenon/kernel/explain.hpp"
#include "tenon/kernel/policy_answers.hpp"

namespace tenon::cli {

// One allocation of an ask, placed otherwise. Null: that side did not place it.
struct placing_difference {
  const placement *a = nullptr, *b = nullptr;

  [[nodiscard]] const placement &known() const { return a != nullptr ? *a : *b; }
  [[nodiscard]] int64_t at_ms() const;
};

struct placing_differences {
  uint64_t same = 0, only_a = 0, only_b = 0, other_time = 0, other_node = 0;  // of allocations
  std::vector<placing_difference> first;                                      // by time
};
[[nodiscard]] placing_differences compare_placements(const side_run &a, const side_run &b, size_t shown);

// An ask, or a node or queue of a decision, as a side saw it before that decision.
struct seen_ask {
  std::string application, key;
  explanation why;
};
struct seen_amounts {
  std::string name;  // of a node or queue
  std::vector<std::pair<std::string, amount_map>> columns;
};
struct side_reason {
  std::string decision;  // the line of decisions files; empty: this side made no more
  std::vector<std::pair<std::string, std::string>> policies;
  std::vector<seen_ask> asks;
  std::vector<seen_amounts> nodes, queues;
  std::vector<policy_answer> said;  // by the policies, of these
};
struct first_difference {
  uint64_t decision = 0;  // its number, from 1
  int64_t at_ms = 0;
  side_reason a, b;
};

// Before the two decisions, which may be empty, what `scheduler` has to say of them.
void look_at(engine &scheduler, const std::string &decision_a, const std::string &decision_b, side_reason &out);

// Plays a side once more, up to a command.
using replay_side = std::function<std::optional<std::string>(side_run &, const watched_command &)>;

// Nothing where all decisions are equal.
[[nodiscard]] std::optional<first_difference> find_first_difference(const side_run &a, const side_run &b,
                                                                    const replay_side &again_a,
                                                                    const replay_side &again_b);

}  // namespace tenon::cli
