// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Puts numbers and texts one after the other into room that it is given: a number in groups of seven bits, the low ones
// first, a byte each; a text with its length before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tenon/abi/base.h"

namespace tenon::host {

class record_writer {
 public:
  record_writer(char *room, size_t bytes) : room_(room), bytes_(bytes) {}

  // There was no room. What follows is left out then.
  [[nodiscard]] bool failed() const { return full_; }
  [[nodiscard]] size_t used() const { return used_; }
  void rewind(size_t to) {
    used_ = to;
    full_ = false;
  }

  void number(uint64_t n) {
    do {
      const auto low = static_cast<unsigned char>(n & 0x7f);
      n >>= 7;
      put(n == 0 ? low : low | 0x80);
    } while (n != 0);
  }
  // Small ones of either sign take a byte.
  void signed_number(int64_t n) { number((static_cast<uint64_t>(n) << 1) ^ static_cast<uint64_t>(n >> 63)); }
  void raw(std::string_view bytes) {
    if (failed() || bytes.empty()) return;
    if (bytes.size() > bytes_ - used_) {
      full_ = true;
      return;
    }
    std::memcpy(room_ + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void text(std::string_view words) {
    number(words.size());
    raw(words);
  }
  void text(const tenon_text &words) { text(std::string_view(words.data, words.data == nullptr ? 0 : words.length)); }

  // A T that lies there; all zeros once it has failed.
  template <class T>
  T read(const void *from) {
    T out{};
    if (!failed()) std::memcpy(&out, from, sizeof out);
    return out;
  }

  // A section: its letter, its length in four bytes, the low ones first, and what comes until it ends.
  void begin(char letter) {
    put(static_cast<unsigned char>(letter));
    section_ = used_;
    for (int i = 0; i < 4; ++i) put(0);
  }
  void end() {
    if (failed()) return;
    const size_t length = used_ - section_ - 4;
    for (size_t i = 0; i < 4; ++i) room_[section_ + i] = static_cast<char>((length >> (8 * i)) & 0xff);
  }

 private:
  void put(unsigned char byte) {
    if (failed()) return;
    if (used_ == bytes_)
      full_ = true;
    else
      room_[used_++] = static_cast<char>(byte);
  }

  char *room_;
  size_t bytes_, used_ = 0, section_ = 0;
  bool full_ = false;
};

}  // namespace tenon::host
