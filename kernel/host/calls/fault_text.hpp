// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A record of a fault, put together without memory of the heap: a signal handler may.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "tenon/host/thread_role.hpp"

namespace tenon::host {

class fault_text {
 public:
  // What finds no room is left out.
  fault_text &add(std::string_view words) {
    const size_t taken = words.size() < sizeof room_ - length_ ? words.size() : sizeof room_ - length_;
    std::memcpy(room_ + length_, words.data(), taken);
    length_ += taken;
    return *this;
  }
  fault_text &add(uint64_t number, uint32_t base = 10) {
    char digits[64];
    size_t first = sizeof digits;
    do {
      digits[--first] = "0123456789abcdef"[number % base];
      number /= base;
    } while (number != 0);
    return add({digits + first, sizeof digits - first});
  }
  [[nodiscard]] std::string_view text() const { return {room_, length_}; }

 private:
  char room_[4096];
  size_t length_ = 0;
};

// The call that a record is of.
struct recorded_call {
  std::string_view module, version, digest, key, interface, name, slot;
  uint32_t items = 0;
  thread_role role = thread_role::other;
  int64_t thread = 0, process = 0;
};

[[nodiscard]] int64_t unix_now_ms();

// Adds the lines "fault: ...\nmodule: ...\n" and so on. `file_ending`: of the
// file beside it that has the call itself; empty: there is none.
void describe(const recorded_call &call, std::string_view what, int64_t now_ms, std::string_view file_ending,
              fault_text &to);

// A record on its way to standard error, and to the end of the file `key` below `folder`. Ends it with an empty line.
class record_file {
 public:
  record_file(std::string_view folder, std::string_view key);
  ~record_file();
  record_file(const record_file &) = delete;
  record_file &operator=(const record_file &) = delete;

  // The lines are on the disk when it returns.
  void write(const fault_text &lines) const;

 private:
  int file_ = -1;
};

}  // namespace tenon::host
