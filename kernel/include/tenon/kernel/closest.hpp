// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The name that somebody most likely meant, for refusals of names that are not there.
#pragma once

#include <span>
#include <string_view>

namespace tenon {

// Returns the candidate nearest to `word` by Damerau-Levenshtein distance, where letter case counts little. Returns an
// empty text if no candidate is near enough to have been meant.
[[nodiscard]] std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace tenon
