// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "schema/json_formats.hpp"

#include <array>
#include <cctype>

namespace tenon::host {
namespace {

// Takes pieces from the front of a text; after one that is not there, nothing is.
class front {
 public:
  explicit front(std::string_view text) : left_(text) {}

  // So many digits, as a number.
  int digits(size_t count) {
    int out = 0;
    for (; count > 0; --count) {
      if (left_.empty() || std::isdigit(static_cast<unsigned char>(left_.front())) == 0) return fail();
      out = out * 10 + (left_.front() - '0');
      left_.remove_prefix(1);
    }
    return out;
  }
  bool one_of(std::string_view characters) {
    if (left_.empty() || characters.find(left_.front()) == std::string_view::npos) return false;
    left_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view characters) {
    if (!one_of(characters)) fail();
  }
  [[nodiscard]] bool is_empty() const { return left_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  int fail() {
    failed_ = true;
    left_ = {};
    return 0;
  }
  std::string_view left_;
  bool failed_ = false;
};

bool date(front &from) {
  constexpr std::array days{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  from.digits(4);
  from.expect("-");
  const int month = from.digits(2);
  from.expect("-");
  const int day = from.digits(2);
  return !from.failed() && month >= 1 && month <= 12 && day >= 1 && day <= days.at(static_cast<size_t>(month - 1));
}

bool hours_and_minutes(front &from) {
  const int hour = from.digits(2);
  from.expect(":");
  const int minute = from.digits(2);
  return !from.failed() && hour <= 23 && minute <= 59;
}

bool time(front &from) {
  if (!hours_and_minutes(from)) return false;
  from.expect(":");
  const int second = from.digits(2);
  if (from.one_of(".")) {
    from.digits(1);
    while (from.one_of("0123456789")) continue;
  }
  if (second > 60 || from.failed()) return false;
  return from.one_of("Zz") || (from.one_of("+-") && hours_and_minutes(from));
}

}  // namespace

bool has_format(std::string_view format, std::string_view text) {
  front from(text);
  if (format == "date") return date(from) && from.is_empty();
  if (format == "time") return time(from) && from.is_empty();
  if (format != "date-time") return true;
  if (!date(from)) return false;
  from.expect("Tt");
  return time(from) && from.is_empty();
}

}  // namespace tenon::host
