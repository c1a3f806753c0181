// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ledger/wrong_books.hpp"

#include <stdexcept>
#include <string>

namespace tenon::internal {

namespace {

[[noreturn]] void refuse(const std::string &words) {
  throw std::logic_error("the books of the kernel are wrong: " + words);
}

}  // namespace

// The C++ library writes the words of an exception that no function may let pass.
void end_with_wrong_books(const std::string &words) noexcept { refuse(words); }

void end_below_zero(const written &w) noexcept {
  const std::string what = std::string(w.what) + std::string(w.whose) + std::string(w.also) + std::string(w.where);
  refuse(what + " would fall below zero (" + std::string(w.change) + ")");
}

}  // namespace tenon::internal
