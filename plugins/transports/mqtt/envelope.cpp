// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "envelope.hpp"

#include "tenon/wire/pieces.hpp"

namespace tenon::mqtt {
namespace {

// As FromManager numbers its fields, with how they are written.
enum tag : uint8_t {
  session_tag = 1 << 3 | 1,
  number_tag = 3 << 3,
  arrived_tag = 4 << 3 | 2,
  configuration_tag = 9 << 3 | 2,
  registration_tag = 10 << 3 | 2,
  last_request_tag = 15 << 3 | 2
};

uint64_t fixed_at_the_end(std::string_view field) {
  uint64_t out = 0;
  for (size_t i = 1; i <= sizeof out; ++i) out = out << 8U | static_cast<unsigned char>(field[field.size() - i]);
  return out;
}

std::string_view without_tag(std::string_view field) {
  while ((static_cast<unsigned char>(field.front()) & 0x80U) != 0) field.remove_prefix(1);
  return field.substr(1);
}

uint64_t varint(std::string_view bytes) {
  uint64_t out = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i)
    out |= uint64_t{static_cast<unsigned char>(bytes[i]) & 0x7FU} << (7 * i);
  return out;
}

}  // namespace

std::optional<envelope> envelope_of(std::string_view message) {
  envelope out;
  wire::field_cursor at(message);
  wire::outer_field field;
  while (at.more()) {
    if (!at.next(field)) return {};
    out.beside += field.whole.size();
    if (field.tag == session_tag) out.session = fixed_at_the_end(field.whole);
    if (field.tag == number_tag) out.number = static_cast<int64_t>(varint(without_tag(field.whole)));
    if (field.tag == arrived_tag) ++out.arrived;
    const bool is_content = (field.tag & 7U) == 2 && field.tag >= configuration_tag && field.tag <= last_request_tag;
    if (!is_content) continue;
    out.is_registration = field.tag == registration_tag;
    out.beside -= field.inside.size();
  }
  return out;
}

}  // namespace tenon::mqtt
