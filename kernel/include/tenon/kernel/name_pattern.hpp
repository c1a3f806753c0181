// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Regular expressions over names, in the dialect of the field (RE2, which Go's regexp is).
//
// The kernel has its own because a name comes from anybody: matching takes time linear in name times
// expression, uses no locale and no recursion, and needs nothing but the C++ runtime. No library has all
// three. Only whether a name matches is asked, so greed and captures do not exist.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon {

class name_pattern {
 public:
  // Compiles an expression of RE2's syntax. Not supported and refused: \p{..} classes and \C. Letter case is
  // folded for ASCII letters only under (?i). At most 1,000 characters, repeats of 1,000, groups nested 100
  // deep and 10,000 steps of program. The refusal's `where` is the caller's to fill.
  [[nodiscard]] static result<name_pattern> compile(std::string_view expression);

  // The expression matches somewhere in `name`. Bytes that are no UTF-8 count as U+FFFD each.
  [[nodiscard]] bool matches(std::string_view name) const;

  [[nodiscard]] const std::string &expression() const { return expression_; }

 private:
  friend class pattern_writer;

  using ranges = std::vector<std::pair<char32_t, char32_t>>;  // sorted, disjoint, both ends in

  enum class op : uint8_t { match, character, split, check };
  struct step {
    op what = op::match;
    uint32_t next = 0;   // character, split, check: where to go on
    uint32_t other = 0;  // split: the second way; character: index in classes_; check: which
  };
  class walker;

  std::string expression_;
  std::vector<ranges> classes_;
  std::vector<step> steps_;
  uint32_t start_ = 0;
};

}  // namespace tenon
