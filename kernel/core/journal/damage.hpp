// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is wrong with a journal's bytes, and the checksum that tells.
#pragma once

#include <boost/crc.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::journal {

struct damage {
  size_t offset;
  std::string field;  // "put_ask.resources.amount"; may be empty
  std::string what;
  bool later = false;  // the bytes are sound, and say what this build does not know

  // The field is in the one of this name.
  void within(std::string_view name) { field.insert(0, std::string(name) + (field.empty() ? "" : ".")); }
};

// Of `first` and what follows it.
inline uint32_t crc_of(std::string_view first, std::string_view rest = {}) {
  boost::crc_32_type crc;
  crc.process_bytes(first.data(), first.size());
  crc.process_bytes(rest.data(), rest.size());
  return static_cast<uint32_t>(crc.checksum());
}

inline constexpr uint32_t max_depth = 1'000;  // queues below queues, rules above rules

}  // namespace tenon::journal
