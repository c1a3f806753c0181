// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/module_text.hpp"

#include <algorithm>

#include "tenon/kernel/utf8.hpp"

namespace tenon::internal {

std::string module_text::readable() const {
  std::string out = utf8_of({room_.data(), std::min<uint64_t>(message_.length, room_.size())}, "?");
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return out;
}

}  // namespace tenon::internal
