// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes of a message, field by field, as protobuf's own parser takes them: a number may be longer than it needs to be,
// and bits beyond its size are dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::wire {

// What follows a tag, by its last three bits.
enum wire_type : uint8_t {
  varint_follows,
  eight_bytes_follow,
  length_follows,
  group_begins,
  group_ends,
  four_bytes_follow
};

// Protobuf takes 100, and counts the messages around them as well.
inline constexpr int most_nested_groups = 90;

class cursor {
 public:
  explicit cursor(std::string_view bytes = {}) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  [[nodiscard]] bool more() const { return at_ != end_; }
  [[nodiscard]] const char *at() const { return at_; }

  // All are false where the bytes are none of these; the cursor is of no use then.
  bool tag(uint32_t &out) {
    uint64_t number = 0;
    const bool fine = varint_of(5, number);
    out = static_cast<uint32_t>(number);
    return fine && out >> 3 != 0;
  }
  bool varint(uint64_t &out) { return varint_of(10, out); }
  bool inside(std::string_view &out) {
    uint64_t length = 0;
    if (!varint_of(5, length) || length > static_cast<uint64_t>(end_ - at_)) [[unlikely]]
      return false;
    out = {at_, length};
    at_ += length;
    return true;
  }
  // What follows this tag.
  bool skip(uint32_t tag) { return skip(tag, most_nested_groups); }

 private:
  bool varint_of(uint32_t most_bytes, uint64_t &out) {
    if (at_ == end_) return false;
    out = static_cast<uint8_t>(*at_);
    if (out >= 0x80) [[unlikely]]
      return long_varint(most_bytes, out);
    ++at_;
    return true;
  }
  bool long_varint(uint32_t most_bytes, uint64_t &out);
  bool skip(uint32_t tag, int groups);

  const char *at_;
  const char *end_;
};

// Whether these are whole fields, whatever they say.
bool are_fields(std::string_view bytes);

// What a field is to who looks at it.
enum class seen : uint8_t { known, unknown, damaged };

inline seen known_if(bool fine) { return fine ? seen::known : seen::damaged; }

// Skips what follows the tag that begins there, and appends both.
bool keep(cursor &at, uint32_t tag, const char *begin, std::string &to);

// Calls `look` with the tag of each field and a cursor at what follows. Fields that it does not know are appended to
// `unknown` as they are. False where it found one damaged, or these are no fields.
template <class Look>
bool each_field(std::string_view message, std::string &unknown, Look &&look) {
  cursor at(message);
  while (at.more()) {
    const char *const begin = at.at();
    uint32_t tag = 0;
    if (!at.tag(tag)) return false;
    const seen as = look(tag, at);
    if (as == seen::known) [[likely]]
      continue;
    if (as == seen::damaged || !keep(at, tag, begin, unknown)) return false;
  }
  return true;
}

}  // namespace tenon::wire
