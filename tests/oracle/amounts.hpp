// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Resource amounts as plain maps: a type that is absent is undefined.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tenon/kernel/commands.hpp"

namespace tenon::naive {

[[nodiscard]] amount_map to_map(amounts from);
// Of amounts above 0.
[[nodiscard]] std::vector<std::string> names_in(std::initializer_list<amounts> all);

// The amount of a type, 0 where it is absent.
[[nodiscard]] int64_t amount_of(const amount_map &from, const std::string &type);
void add(amount_map &to, const amount_map &what);
void subtract(amount_map &from, const amount_map &what);
[[nodiscard]] amount_map times(const amount_map &what, int64_t factor);
[[nodiscard]] amount_map without_zeros(amount_map what);

[[nodiscard]] bool all_zero(const amount_map &what);
[[nodiscard]] bool any_positive(const amount_map &what);
[[nodiscard]] const named_amount *first_negative(amounts what);
// Why an amount of the lists cannot be taken: the first that is below 0 or larger than any sum may be; "" when none is.
[[nodiscard]] std::string problem_of_amounts(std::initializer_list<amounts> all);
[[nodiscard]] std::string problem_of_size(amounts what);  // that some amount is too large

// Sums that need not fit an amount.
__extension__ using wide = __int128;
using wide_map = std::map<std::string, wide>;
void add(wide_map &to, const amount_map &what, int64_t times = 1);
// Which amount of `more`, taken so many times, would make a sum too large; "" when none would.
[[nodiscard]] std::string problem_of_sum(const wide_map &counted, const amount_map &more, int64_t times = 1);

[[nodiscard]] bool same_amounts(const amount_map &a, const amount_map &b);

// Every amount of `ask` is at most that of `room`, where below 0 is 0 and a missing type is none.
[[nodiscard]] bool fits(const amount_map &available, const amount_map &ask);
// `used` plus `ask` stays within `max`, where a missing type is unlimited. A type of the ask that is over
// already fits only with 0.
[[nodiscard]] bool fits_limit(const amount_map &max, const amount_map &used, const amount_map &ask);

}  // namespace tenon::naive
