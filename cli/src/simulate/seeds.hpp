// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The same run with many seeds, and how much chance decides: mean and spread over them.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// "42..51" or "42": at most 1000 of them. `where`: the option, for refusals.
[[nodiscard]] result<std::vector<uint64_t>> parse_seeds(std::string_view text, const std::string &where);

// Plays one seed; its summary as JSON.
using seeded_run = std::function<result<std::string>(uint64_t seed)>;
// As many as there are processors play at once, each in a process of its own: what a module keeps for all of its
// instances is no other seed's. Where seeds are refused, the first refusal is the answer.
[[nodiscard]] result<std::vector<std::string>> play_seeds(const std::vector<uint64_t> &seeds, const seeded_run &play);

// Of the summaries of `seeds`, in their order: as a table, or as one object (its keys are in docs/simulate.md).
void print_seeds(std::ostream &out, const std::vector<uint64_t> &seeds, const std::vector<std::string> &summaries);
[[nodiscard]] std::string seeds_to_json(const std::vector<uint64_t> &seeds, const std::vector<std::string> &summaries);

}  // namespace tenon::cli
