// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Writes format 3 as builds did until format 4: bytes for what reads it.
#pragma once

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <string_view>

#include "journal/damage.hpp"
#include "journal/version3_fields.hpp"

namespace tenon::journal::version3 {

class writer {
 public:
  static constexpr bool writes = true;
  explicit writer(std::string &out) : out_(out) {}

  bool details = false;  // are written

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

inline bool has_details(const register_rm &c) { return c.check_deadline_ms != 0; }
inline bool has_details(const put_allocation &c) { return !c.allocation.detail.empty(); }
inline bool has_details(const add_node &c) {
  return std::any_of(c.existing.begin(), c.existing.end(),
                     [](const existing_allocation &e) { return !e.detail.empty(); });
}
template <class Command>
bool has_details(const Command &) {
  return false;
}

inline std::string frame_of(std::string_view payload) {
  std::string out;
  writer head(out);
  head(static_cast<uint32_t>(payload.size()));
  head(crc_of(out, payload));
  return out;
}

inline void append_entry(std::string &out, int64_t now_ms, const command &c) {
  std::string bytes;
  writer payload(bytes);
  payload(now_ms);
  const auto write = [&]<class Command>(const Command &x) {
    payload.details = has_details(x);
    payload(payload.details ? number_with_details<Command> : number_of<Command>, x);
  };
  std::visit(write, c);
  out += frame_of(bytes) + bytes;
}

}  // namespace tenon::journal::version3
