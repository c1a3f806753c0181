// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A regular expression that somebody else wrote, and texts of others: RE2, whose time is linear in the text and whose
// memory is bounded. std::regex is neither: a text of 50 kB ends the process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon::host {

// May be copied and used from any thread.
class expression {
 public:
  // In RE2's syntax: what ECMAScript and Perl have in common, but no references back and no looking ahead or behind.
  // Refused are other texts, and those that would take much memory.
  static result<expression> compile(std::string_view text);

  // Whether any part of the text matches.
  [[nodiscard]] bool found_in(std::string_view text) const;

 private:
  struct compiled;
  explicit expression(std::shared_ptr<const compiled> from) : compiled_(std::move(from)) {}

  std::shared_ptr<const compiled> compiled_;
};

}  // namespace tenon::host
