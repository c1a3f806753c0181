// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Writes fields as the journal's bytes.
#pragma once

#include <bit>
#include <stdexcept>
#include <string>

#include "journal/journal_fields.hpp"

namespace tenon::journal {

class writer {
 public:
  static constexpr bool writes = true;
  explicit writer(std::string &out) : out_(out) {}

  bool details = false;  // of existing allocations are written

  template <class... Fields>
  void operator()(const Fields &...f) {
    (one(f), ...);
  }

 private:
  template <class T>
  void one(const T &x) {
    if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
      one(static_cast<uint8_t>(x));
    } else if constexpr (std::is_integral_v<T>) {
      for (size_t i = 0; i < sizeof(T); ++i) {
        out_ += static_cast<char>(static_cast<std::make_unsigned_t<T>>(x) >> 8 * i & 0xff);
      }
    } else if constexpr (std::is_same_v<T, double>) {
      one(std::bit_cast<uint64_t>(x));
    } else if constexpr (is_text<T>) {
      count(x.size());
      out_ += x;
    } else if constexpr (is_span<T> || is_vector<T>) {
      count(x.size());
      for (const auto &element : x) one(element);
    } else if constexpr (is_map<T>) {
      count(x.size());
      for (const auto &[key, value] : x) (*this)(key, value);
    } else if constexpr (std::is_same_v<T, const cluster_config *>) {
      one(x != nullptr);
      if (x != nullptr) one(*x);
    } else {
      fields(*this, x);
    }
  }

  void count(size_t n) {
    if (n > UINT32_MAX) throw std::length_error("a journal holds texts and lists of less than 2^32 elements");
    one(static_cast<uint32_t>(n));
  }

  std::string &out_;
};

}  // namespace tenon::journal
