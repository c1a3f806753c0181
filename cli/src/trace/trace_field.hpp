// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One field of one line of a trace, which refuses what is wrong with it at its own place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// A file that a loader reads.
struct trace_text {
  std::string file;  // for refusals
  std::string_view text;
};

// Thrown by a field to leave the middle of a file. Who reads a file catches it and returns the refusal.
struct refused_trace {
  refusal why;
};

// Counted from 1.
[[nodiscard]] std::string place_in(const std::string &file, size_t line, size_t column);

class trace_field {
 public:
  trace_field() = default;
  // `file` and `name` outlive the field. `column` is that of the first character.
  trace_field(std::string_view text, std::string_view name, const std::string &file, size_t line, size_t column)
      : text_(text), name_(name), file_(&file), line_(line), column_(column) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] bool is_given() const { return file_ != nullptr; }  // else the trace has no such column

  [[noreturn]] void refuse(std::string want, std::string fix) const;

  // A whole number.
  [[nodiscard]] int64_t whole(int64_t least, int64_t most) const;
  // A number of decimal digits, with a fraction where there is one.
  [[nodiscard]] double decimal(double least, double most) const;
  // Seconds as milliseconds, rounded; at most 2^40 s.
  [[nodiscard]] int64_t seconds_as_ms(double least = 0) const;
  // "2017-10-09 07:01:55" as milliseconds since 1970, all clocks taken for UTC.
  [[nodiscard]] int64_t timestamp_ms() const;
  // Text that is there.
  [[nodiscard]] std::string name() const;
  // A name that can be one part of a queue's path.
  [[nodiscard]] std::string queue_name() const;

 private:
  std::string_view text_, name_;
  const std::string *file_ = nullptr;
  size_t line_ = 0, column_ = 0;
};

}  // namespace tenon::cli
