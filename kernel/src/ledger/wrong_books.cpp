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
void end_with_wrong_books(std::string_view change, std::string_view where) noexcept {
  refuse(std::string(change) + ", at " + std::string(where));
}

}  // namespace tenon::internal
