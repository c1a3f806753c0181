// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// SHA-256 as transports need it: a module sees the SDK alone, not the host's.
#pragma once

#include <openssl/sha.h>

#include <array>
#include <string>
#include <string_view>

namespace tenon::transports {

// Of the text, as 64 lower-case hexadecimal digits.
[[nodiscard]] inline std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> raw{};
  SHA256(reinterpret_cast<const unsigned char *>(text.data()), text.size(), raw.data());
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : raw) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace tenon::transports
