// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads what record_writer puts. Nobody need believe the bytes: behind their end, and behind the first that is broken,
// all is 0 and empty.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon::host {

class record_reader {
 public:
  explicit record_reader(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] bool is_broken() const { return broken_; }
  [[nodiscard]] bool is_at_end() const { return left_.empty(); }
  void give_up() {
    broken_ = true;
    left_ = {};
  }

  uint64_t number() {
    uint64_t out = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) break;
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      out |= uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) == 0) return out;
    }
    give_up();
    return 0;
  }
  int64_t signed_number() {
    const uint64_t n = number();
    return static_cast<int64_t>((n >> 1) ^ (~(n & 1) + 1));
  }
  // Of what is at most `most`.
  uint32_t small_number(uint64_t most) {
    const uint64_t n = number();
    if (n <= most && n <= UINT32_MAX) return static_cast<uint32_t>(n);
    give_up();
    return 0;
  }
  // Of a list whose elements have a byte each at least.
  uint64_t count() {
    const uint64_t n = number();
    if (n <= left_.size()) return n;
    give_up();
    return 0;
  }
  std::string_view raw(uint64_t bytes) {
    if (bytes > left_.size()) {
      give_up();
      return {};
    }
    const std::string_view out = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return out;
  }
  std::string_view text() { return raw(number()); }

 private:
  std::string_view left_;
  bool broken_ = false;
};

}  // namespace tenon::host
