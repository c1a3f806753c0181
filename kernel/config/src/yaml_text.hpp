// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The text below the YAML: its encoding and its lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/problems.hpp"

namespace tenon::config {

struct bad_byte {
  text_position at;
  std::string what;
};

// The first place that is no UTF-8 text: wrong bytes, or control characters other than tab and line ends.
[[nodiscard]] std::optional<bad_byte> find_bad_byte(std::string_view text);

// The first place where YAML has blanks and the text has a character that looks like one: in the indentation, or behind
// ':', '-' or ','. Quotations and comments may have any.
[[nodiscard]] std::optional<bad_byte> find_odd_blank(std::string_view text);

// Where lines begin. Lines and columns here count from 0, and columns count bytes, as yaml-cpp does.
class line_index {
 public:
  // The text outlives the index.
  explicit line_index(std::string_view text);

  // The rest of the text from a place on.
  [[nodiscard]] std::string_view from(int line, int column) const;
  // The place for people: from 1, columns in characters.
  [[nodiscard]] text_position position(int line, int column) const;
  [[nodiscard]] text_position position_of_byte(size_t at) const;
  // yaml-cpp reports a tab in the indentation as anything but that.
  [[nodiscard]] bool has_leading_tab(int line) const;
  // The number, from 1, of a line that begins with '%' behind the beginning of the document, where yaml-cpp
  // drops it without a word; 0 where there is none.
  [[nodiscard]] int late_directive() const;

 private:
  [[nodiscard]] size_t line_start(int line) const;

  std::string_view text_;
  std::vector<size_t> starts_;
  // The last place asked for: the next one is mostly behind it, and a hostile text is one long line.
  struct counted_place {
    int line = -1;
    size_t column = 0;
    int characters = 0;
  };
  mutable counted_place last_;
};

}  // namespace tenon::config
