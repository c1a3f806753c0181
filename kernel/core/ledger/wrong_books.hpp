// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Wrong books: the end of a process whose kernel would go on with sums or states that are not so.
#pragma once

#include <string>
#include <string_view>

namespace tenon::internal {

// What a change writes: `change` is its name, the other four are said one after the other.
struct written {
  std::string_view change;
  std::string_view what, whose, also = {}, where = {};
};

[[noreturn]] void end_below_zero(const written &w) noexcept;
// `words`: what is wrong.
[[noreturn]] void end_with_wrong_books(const std::string &words) noexcept;

}  // namespace tenon::internal
