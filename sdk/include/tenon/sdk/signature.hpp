// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// 128 bits that stand for a sequence of texts: the signature of an ask.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace tenon::sdk {

// Equal sequences give equal words, in every process; unequal ones differ but for hash collisions.
class signature_builder {
 public:
  void add(std::string_view text) {
    for (const char c : text) byte(static_cast<unsigned char>(c));
    for (uint64_t length = text.size(), i = 0; i < 8; ++i) byte(length >> (8 * i) & 0xFF);  // "ab","c" is not "a","bc"
  }

  [[nodiscard]] std::array<uint64_t, 2> words() const { return {mixed(a_), mixed(b_)}; }

 private:
  void byte(uint64_t v) {
    a_ = (a_ ^ v) * 0x100000001B3;  // FNV-1a
    b_ = std::rotl((b_ + v + 1) * 0x9E3779B97F4A7C15, 29);
  }

  static uint64_t mixed(uint64_t v) {  // the finaliser of SplitMix64
    v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9;
    v = (v ^ v >> 27) * 0x94D049BB133111EB;
    return v ^ v >> 31;
  }

  uint64_t a_ = 0xCBF29CE484222325;
  uint64_t b_ = 0x6A09E667F3BCC908;
};

}  // namespace tenon::sdk
