// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A text as yaml-cpp reads it, with an end to how far its scanner runs ahead of its parser. The scanner makes tokens of
// a whole [..] or {..} before the parser sees the first of them, since it may be a key: some hundred bytes of memory
// for each byte of a text that nobody has looked at.
#pragma once

#include <streambuf>
#include <string_view>

#include "tenon/config/yaml.hpp"

namespace tenon::config {

class bounded_input final : public std::streambuf {
 public:
  // The text outlives it.
  bounded_input(std::string_view text, const yaml_limits &limits);

  // Thrown out of the scanner: what was read and not yet parsed cannot be within the limits. Generous, for brackets and
  // commas within quotations and comments are counted, too.
  struct too_much {
    size_t at;     // byte of the text, at most some thousand behind the place
    bool is_deep;  // or else wide
  };

  // The parser has got something, at this depth: the scanner runs ahead from here.
  void parsed(size_t depth);

 protected:
  std::streamsize xsgetn(char *to, std::streamsize count) override;

 private:
  void count(std::string_view part);

  const yaml_limits &limits_;
  size_t at_ = 0;
  // Since parsed():
  size_t depth_ = 0;
  size_t values_ = 0;
  size_t tokens_ = 0;
};

}  // namespace tenon::config
