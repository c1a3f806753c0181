// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes of journals of each format, and how much of them is taken.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tenon/kernel/journal.hpp"

namespace tenon::journal_test {

// The entries of a journal that cannot be read to its end are those before the damage.
struct reading {
  uint64_t entries = 0;
  std::string refused;  // empty: read to the end
  std::string where;
};

reading read(std::string_view bytes, const std::function<void(int64_t, const command &)> &take = {});

struct format {
  int number = 0;
  std::string (*header)(std::string_view origin) = nullptr;
  void (*append)(std::string &out, int64_t now_ms, const command &c) = nullptr;
  // What is behind the frame of an entry, and an entry of any such bytes with a frame that is right.
  std::string (*payload)(int64_t now_ms, const command &c) = nullptr;
  std::string (*framed)(std::string_view payload) = nullptr;
  // Lists of views are larger in memory than in the journal.
  size_t least_memory = 0, memory_per_byte = 0;
};
format format_3();
format format_4();

std::string little_endian(uint32_t x);
std::string hex(std::string_view bytes);
std::string from_hex(std::string_view digits);

}  // namespace tenon::journal_test
