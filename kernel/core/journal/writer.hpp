// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Writes values as the journal's bytes.
//
// Number, truth, choice: a varint, low groups of 7 bits first; of a signed type zigzag. Double: its bits,
// little-endian. Text: its size as a varint, and the bytes. Struct: the size of its fields, and those fields whose
// value is not the one that is left out, ids ascending, each with its tag (a varint) before it. List: the size of its
// elements, and the elements. Map: the same with key and value in turn, keys ascending.
#pragma once

#include <bit>
#include <string>

#include "journal/command_fields.hpp"

namespace tenon::journal {

inline constexpr size_t max_varint_bytes = 10;

// Gives the number of bytes.
inline size_t put_varint(char *at, uint64_t x) {
  size_t size = 0;
  for (; x >= 0x80; x >>= 7) at[size++] = static_cast<char>(x | 0x80);
  at[size++] = static_cast<char>(x);
  return size;
}

constexpr uint64_t zigzag(int64_t x) { return static_cast<uint64_t>(x) << 1 ^ static_cast<uint64_t>(x >> 63); }

class writer {
 public:
  static constexpr bool writes = true;
  explicit writer(std::string &out) : out_(out) {}

  // The field of a struct, where it has another value than `left_out`.
  template <class T>
  void operator()(uint32_t id, std::string_view /*name*/, const T &x,
                  std::type_identity_t<T> left_out) requires is_number<T> {
    if (x == left_out) return;
    varint(tag_of(id, false, wire_of<T>));
    value(x);
  }
  template <class T>
  void operator()(uint32_t id, std::string_view /*name*/, const T &x) {
    field(tag_of(id, false, wire_of<T>), x);
  }
  template <class T>
  void note(uint32_t id, std::string_view /*name*/, const T &x) {
    field(tag_of(id, true, wire_of<T>), x);
  }

  void varint(uint64_t x) {
    if (x < 0x80) {
      out_.push_back(static_cast<char>(x));
    } else {
      char bytes[max_varint_bytes];
      out_.append(bytes, put_varint(bytes, x));
    }
  }

  template <class T>
  void value(const T &x) {
    if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T>) {
      varint(static_cast<uint64_t>(x));
    } else if constexpr (std::is_integral_v<T>) {
      varint(std::is_signed_v<T> ? zigzag(static_cast<int64_t>(x)) : static_cast<uint64_t>(x));
    } else if constexpr (std::is_same_v<T, double>) {
      const auto bits = std::bit_cast<uint64_t>(x);
      for (int shift = 0; shift < 64; shift += 8) out_.push_back(static_cast<char>(bits >> shift));
    } else if constexpr (is_text<T>) {
      varint(x.size());
      out_.append(x);
    } else {
      sized([&] { content(x); });
    }
  }

 private:
  template <class T>
  void field(uint64_t tag, const T &x) {
    if constexpr (is_number<T>) {
      if (x == T{}) return;
    } else if constexpr (is_config<T>) {
      if (x == nullptr) return;
    } else if constexpr (is_text<T> || is_span<T> || is_vector<T> || is_map<T>) {
      if (x.empty()) return;
    }
    const size_t start = out_.size();
    varint(tag);
    const size_t before = out_.size();
    value(x);
    if constexpr (is_struct<T>) {
      if (out_.size() == before + 1) out_.resize(start);  // nothing but its size, 0
    }
  }

  template <class T>
  void content(const T &x) {
    if constexpr (is_span<T> || is_vector<T>) {
      for (const auto &element : x) value(element);
    } else if constexpr (is_map<T>) {
      for (const auto &[key, mapped] : x) {
        value(key);
        value(mapped);
      }
    } else if constexpr (is_config<T>) {
      fields(*this, *x);
    } else {
      fields(*this, x);
    }
  }

  // What `write` writes, and its size before it.
  template <class F>
  void sized(F write) {
    const size_t start = out_.size();
    out_.push_back(0);
    write();
    const size_t size = out_.size() - start - 1;
    char bytes[max_varint_bytes];
    const size_t more = put_varint(bytes, size) - 1;
    out_[start] = bytes[0];
    if (more > 0) out_.insert(start + 1, bytes + 1, more);
  }

  std::string &out_;
};

}  // namespace tenon::journal
