// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "journal_bytes.hpp"

#include "journal/writer.hpp"
#include "version3_writer.hpp"

namespace tenon::journal_test {

reading read(std::string_view bytes, const std::function<void(int64_t, const command &)> &take) {
  reading out;
  const auto read_entries = read_journal(bytes, [&](int64_t now_ms, const command &c) {
    ++out.entries;
    if (take) take(now_ms, c);
  });
  if (read_entries) {
    EXPECT_EQ(*read_entries, out.entries);
  } else {
    out.refused = read_entries.why().text();
    out.where = read_entries.why().where;
    EXPECT_FALSE(out.refused.empty());
  }
  return out;
}

format format_3() {
  format out;
  out.number = 3;
  out.header = [](std::string_view origin) {
    const std::string crc = little_endian(journal::crc_of(origin));
    return "tenon-journal 3 " + hex(std::string(crc.rbegin(), crc.rend())) + ' ' + std::string(origin) + '\n';
  };
  out.append = journal::version3::append_entry;
  out.payload = [](int64_t now_ms, const command &c) {
    std::string entry;
    journal::version3::append_entry(entry, now_ms, c);
    return entry.substr(8);
  };
  out.framed = [](std::string_view payload) { return journal::version3::frame_of(payload) += payload; };
  out.least_memory = 4'096;
  out.memory_per_byte = 16;
  return out;
}

format format_4() {
  format out;
  out.number = 4;
  out.header = journal_header;
  out.append = append_entry;
  out.payload = [](int64_t now_ms, const command &c) {
    std::string entry;
    append_entry(entry, now_ms, c);
    size_t size_bytes = 1;
    while ((entry[size_bytes - 1] & 0x80) != 0) ++size_bytes;
    return entry.substr(size_bytes + 4);
  };
  out.framed = [](std::string_view payload) {
    std::string size;
    journal::writer(size).varint(payload.size() + 4);
    return size + little_endian(journal::crc_of(size, payload)) + std::string(payload);
  };
  out.least_memory = 65'536;
  out.memory_per_byte = 128;
  return out;
}

std::string little_endian(uint32_t x) {
  std::string out;
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(x >> shift);
  return out;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[static_cast<unsigned char>(c) & 0xf];
  }
  return out;
}

std::string from_hex(std::string_view digits) {
  std::string out;
  for (size_t i = 0; i < digits.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return out;
}

}  // namespace tenon::journal_test
