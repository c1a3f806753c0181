// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cursor.hpp"

namespace tenon::wire {

bool cursor::long_varint(uint32_t most_bytes, uint64_t &out) {
  out = 0;
  for (uint32_t i = 0; i < most_bytes && at_ != end_; ++i) {
    const uint64_t next = static_cast<uint8_t>(*at_++);
    out |= (next & 0x7f) << 7 * i;
    if (next < 0x80) return true;
  }
  return false;
}

bool cursor::skip(uint32_t tag, int groups) {
  uint64_t number = 0;
  std::string_view bytes;
  switch (tag & 7) {
    case varint_follows:
      return varint(number);
    case length_follows:
      return inside(bytes);
    case eight_bytes_follow:
    case four_bytes_follow: {
      const int count = (tag & 7) == eight_bytes_follow ? 8 : 4;
      if (end_ - at_ < count) return false;
      at_ += count;
      return true;
    }
    case group_begins:
      for (uint32_t inner = 0; groups > 0 && this->tag(inner);) {
        if ((inner & 7) == group_ends) return inner >> 3 == tag >> 3;
        if (!skip(inner, groups - 1)) return false;
      }
      return false;
    default:
      return false;
  }
}

bool keep(cursor &at, uint32_t tag, const char *begin, std::string &to) {
  if (!at.skip(tag)) return false;
  to.append(begin, at.at());
  return true;
}

bool are_fields(std::string_view bytes) {
  cursor at(bytes);
  for (uint32_t tag = 0; at.more();) {
    if (!at.tag(tag) || !at.skip(tag)) return false;
  }
  return true;
}

}  // namespace tenon::wire
