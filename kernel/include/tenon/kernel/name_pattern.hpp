// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Regular expressions over names, in the dialect of the field: RE2, which Go's regexp is too. A name comes from
// anybody, so matching takes time linear in name times expression, and memory that is bounded before it begins.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace re2 {
class RE2;
}

namespace tenon {

// May be copied and used from any thread; copies share the program.
class name_pattern {
 public:
  // Compiles an expression of RE2's syntax; a group's name may be written without the P, as in Go. Not supported and
  // refused: \p{..} classes and \C. At most 1,000 bytes, repeats of 1,000, groups nested 100 deep, and 1 MiB of program
  // and of what matching keeps. The refusal's `where` is the caller's to fill.
  [[nodiscard]] static result<name_pattern> compile(std::string_view expression);

  // The expression matches somewhere in `name`. Bytes that are no UTF-8 count as U+FFFD each.
  [[nodiscard]] bool matches(std::string_view name) const;

  [[nodiscard]] const std::string &expression() const { return expression_; }

 private:
  name_pattern(std::string_view expression, std::shared_ptr<const re2::RE2> program)
      : expression_(expression), program_(std::move(program)) {}

  std::string expression_;
  std::shared_ptr<const re2::RE2> program_;
};

}  // namespace tenon
