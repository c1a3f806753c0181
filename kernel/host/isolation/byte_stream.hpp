// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Numbers and texts one after the other, for what crosses to a module's process seldom: how to open, what it is.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tenon::host::isolation {

class byte_writer {
 public:
  void number(uint64_t n) { bytes_.append(reinterpret_cast<const char *>(&n), sizeof n); }
  void text(std::string_view s) {
    number(s.size());
    bytes_.append(s);
  }
  void append(const byte_writer &other) { bytes_ += other.bytes_; }
  [[nodiscard]] const std::string &bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Of bytes that nobody need believe: behind their end, and behind the first that is broken, all is 0 and empty.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : left_(bytes) {}

  uint64_t number() {
    uint64_t out = 0;
    const std::string_view from = take(sizeof out);
    if (!from.empty()) std::memcpy(&out, from.data(), sizeof out);
    return out;
  }
  std::string_view text() { return take(number()); }
  // Of a list whose elements have at least a number each.
  uint64_t count() {
    const uint64_t n = number();
    if (n <= left_.size() / sizeof n) return n;
    broken_ = true;
    left_ = {};
    return 0;
  }
  [[nodiscard]] bool whole() const { return !broken_ && left_.empty(); }
  [[nodiscard]] bool has_more() const { return !left_.empty(); }
  [[nodiscard]] bool is_broken() const { return broken_; }

 private:
  std::string_view take(uint64_t bytes) {
    if (bytes > left_.size()) {
      broken_ = true;
      left_ = {};
      return {};
    }
    const std::string_view out = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return out;
  }

  std::string_view left_;
  bool broken_ = false;
};

}  // namespace tenon::host::isolation
