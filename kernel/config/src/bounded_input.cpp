// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "bounded_input.hpp"

namespace tenon::config {
namespace {

// yaml-cpp reads blocks of 2,048 bytes, which may be brackets in a comment: the parser counts what is truly nested.
constexpr size_t depth_ahead = 4'096;
// Tokens that begin with an indicator, for each value: quotations at both ends of a text, a colon, a comma.
constexpr size_t tokens_of_value = 4;

}  // namespace

bounded_input::bounded_input(std::string_view text, const yaml_limits &limits) : limits_(limits) {
  char *begin = const_cast<char *>(text.data());  // it is only read
  setg(begin, begin, begin + text.size());
}

void bounded_input::parsed(size_t depth) {
  depth_ = depth;
  values_ = tokens_ = 0;
}

std::streamsize bounded_input::xsgetn(char *to, std::streamsize count) {
  const std::streamsize read = std::streambuf::xsgetn(to, count);
  this->count({to, static_cast<size_t>(read)});
  return read;
}

void bounded_input::count(std::string_view part) {
  for (const char c : part) {
    ++at_;
    switch (c) {
      case '[':
      case '{':
        ++depth_;
        [[fallthrough]];
      case ',':
        ++values_;
        break;
      case ']':
      case '}':
        if (depth_ > 0) --depth_;
        [[fallthrough]];
      case ':':
      case '?':
      case '&':
      case '*':
      case '!':
      case '"':
      case '\'':
        ++tokens_;
        break;
      default:
        continue;
    }
    if (depth_ > limits_.depth + depth_ahead) throw too_much{at_, true};
    if (values_ > limits_.nodes || tokens_ > tokens_of_value * limits_.nodes) throw too_much{at_, false};
  }
}

}  // namespace tenon::config
