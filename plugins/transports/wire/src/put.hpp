// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Fields as protobuf writes them, at the end of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::wire {

inline void put_varint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

inline void put_bytes(std::string &out, uint8_t tag, std::string_view bytes) {
  out.push_back(static_cast<char>(tag));
  put_varint(out, bytes.size());
  out.append(bytes);
}

// A message inside, between the two. Its length stands before it, in as many bytes as it takes.
inline size_t begin_inside(std::string &out, uint8_t tag) {
  out.push_back(static_cast<char>(tag));
  out.push_back(0);
  return out.size();
}
inline void end_inside(std::string &out, size_t begin) {
  const size_t length = out.size() - begin;
  if (length < 0x80) {
    out[begin - 1] = static_cast<char>(length);
    return;
  }
  std::string before;
  put_varint(before, length);
  out.replace(begin - 1, 1, before);
}

}  // namespace tenon::wire
