// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "control/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace tenon::cli {
namespace {

const unsigned char *unsigned_bytes(std::string_view of) { return reinterpret_cast<const unsigned char *>(of.data()); }
unsigned char *unsigned_bytes(std::string &of) { return reinterpret_cast<unsigned char *>(of.data()); }

}  // namespace

std::string base64_of(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // a zero is written behind it
  const int size = EVP_EncodeBlock(unsigned_bytes(out), unsigned_bytes(bytes), static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(size));
  return out;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(unsigned_bytes(out), unsigned_bytes(text), static_cast<int>(text.size())) < 0)
    return std::nullopt;
  const auto filled = std::min<size_t>(2, text.size() - text.find_last_not_of('=') - 1);
  out.resize(out.size() - std::min(filled, out.size()));
  // It takes more than the one form that bytes have.
  if (base64_of(out) != text) return std::nullopt;
  return out;
}

}  // namespace tenon::cli
