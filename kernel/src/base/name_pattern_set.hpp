// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sets of characters in expressions: \d, [[:alpha:]], [^a-z].
#pragma once

#include <optional>
#include <string_view>

#include "base/name_pattern_tree.hpp"

namespace tenon::pattern {

// \d, \s, \w and their complements; nothing for other letters.
[[nodiscard]] std::optional<ranges> perl_set(char letter);
// alnum, alpha, ...; nothing for other names.
[[nodiscard]] std::optional<ranges> posix_set(std::string_view name);

void add(ranges &to, const ranges &more);
// Adds the other letter case of ASCII letters.
void fold_case(ranges &set);
// Sorted and disjoint.
void normalise(ranges &set);
[[nodiscard]] ranges complement(ranges set);

}  // namespace tenon::pattern
