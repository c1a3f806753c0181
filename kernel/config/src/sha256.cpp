// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <boost/algorithm/hex.hpp>
#include <iterator>
#include <stdexcept>

namespace tenon::config {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), sum.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  std::string hex;
  boost::algorithm::hex_lower(sum.begin(), sum.begin() + length, std::back_inserter(hex));
  return hex;
}

}  // namespace tenon::config
