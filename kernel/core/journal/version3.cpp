// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Entry: u32 length of the rest, u32 CRC-32 of length and rest, i64 time, u8 command number, fields.
// Field, by its type:
//   number         little-endian in its own width; a double as its bits
//   bool, enum     one byte
//   text, list     a u32 count and the elements
//   map            a list of pairs with ascending keys
//   configuration  one byte "present" and its fields
#include "journal/version3.hpp"

#include <algorithm>
#include <string>

#include "journal/version3_reader.hpp"

namespace tenon::journal::version3 {
namespace {

constexpr size_t frame_bytes = 8;
constexpr size_t least_payload = 9;

// Calls f(Command{}, with details) for the command with this number; false when there is none.
template <class F, class... Commands>
bool with_command(uint8_t number, F &&f, const std::variant<Commands...> *) {
  if (number == 0) return false;
  return ((number_of<Commands> == number && (f(Commands{}, false), true)) || ...) ||
         ((number_with_details<Commands> == number && (f(Commands{}, true), true)) || ...);
}

bool has_details(const register_rm &c) { return c.check_deadline_ms != 0; }
bool has_details(const put_allocation &c) { return !c.allocation.detail.empty(); }
bool has_details(const add_node &c) {
  return std::any_of(c.existing.begin(), c.existing.end(),
                     [](const existing_allocation &e) { return !e.detail.empty(); });
}
template <class Command>
bool has_details(const Command &) {
  return false;
}

}  // namespace

std::optional<damage> decoder::entry(size_t &at) {
  const size_t start = at;
  const size_t left = bytes_.size() - start;
  if (left < frame_bytes) return damage{start, {}, "the journal ends within the frame of an entry"};
  const uint32_t length = number_at(start);
  if (length < least_payload) return damage{start, {}, "an entry of " + std::to_string(length) + " bytes is too short"};
  if (length > left - frame_bytes) return damage{start, {}, "the journal ends within an entry"};

  const uint32_t crc = crc_of(bytes_.substr(start, 4), bytes_.substr(start + frame_bytes, length));
  if (crc != number_at(start + 4)) return damage{start, {}, "the checksum of an entry does not match"};

  at = start + frame_bytes + length;
  return payload(start + frame_bytes, at);
}

uint32_t decoder::number_at(size_t at) const {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= uint32_t{static_cast<unsigned char>(bytes_[at + i])} << 8 * i;
  return value;
}

std::optional<damage> decoder::payload(size_t begin, size_t end) {
  lists_.release();
  reader in(bytes_, begin, end, lists_, config_);
  int64_t now_ms = 0;
  uint8_t number = 0;
  in(now_ms);
  const size_t number_place = in.at();
  in(number);
  const auto read = [&]<class Command>(Command c, bool details) {
    in.details = details;
    in(c);
    in.finish();
    if constexpr (requires { c.config; }) {
      if (c.config == nullptr && !in.damaged()) in.fail(number_place, "there is no configuration");
    }
    if (details && !has_details(c)) in.fail(number_place, "an entry for details has none");
    if (!in.damaged()) take_(now_ms, command(c));
  };
  if (!with_command(number, read, static_cast<const command *>(nullptr))) {
    in.fail(number_place, "no command has the number " + std::to_string(number));
  }
  return in.damaged();
}

}  // namespace tenon::journal::version3
