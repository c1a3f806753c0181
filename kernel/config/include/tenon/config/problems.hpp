// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Collects what is wrong with a text, each with a place and a remedy, so that one run reports all of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::config {

// Counted from 1; line 0 means the file as a whole. Columns count characters, not bytes.
struct text_position {
  int line = 0;
  int column = 0;
  friend bool operator==(const text_position &, const text_position &) = default;
};

// Refusals and warnings about one file, each of bounded length and on one line. Keeps at most `limit` of each:
// a hostile text cannot make a report larger than itself, and nobody reads further.
class problems {
 public:
  explicit problems(std::string file_name, size_t limit = 100) : file_name_(std::move(file_name)), limit_(limit) {}

  void refuse(text_position at, std::string have, std::string want = {}, std::string fix = {});
  // As refuse, for what is accepted but hardly meant.
  void warn(text_position at, std::string have, std::string want = {}, std::string fix = {});

  // A further refusal would only be counted: no need to work out what it says.
  [[nodiscard]] bool full() const { return refusals_.size() >= limit_; }
  [[nodiscard]] bool refused() const { return refused_ != 0; }
  // How many were refused, those beyond the limit included.
  [[nodiscard]] size_t refused_count() const { return refused_; }
  [[nodiscard]] const std::vector<refusal> &refusals() const { return refusals_; }
  [[nodiscard]] const std::vector<refusal> &warnings() const { return warnings_; }
  [[nodiscard]] const std::string &file_name() const { return file_name_; }
  // "file:line:column", or the file alone for a position without a line.
  [[nodiscard]] std::string where(text_position at) const;

 private:
  void add(std::vector<refusal> &to, text_position at, std::string have, std::string want, std::string fix);

  std::string file_name_;
  size_t limit_;
  size_t refused_ = 0;
  std::vector<refusal> refusals_;
  std::vector<refusal> warnings_;
};

// The candidate nearest to `word` by Damerau-Levenshtein distance, letter case counting little; empty when
// none is near enough to have been meant.
[[nodiscard]] std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

// "did you mean 'x'?" for the closest candidate, else the list of candidates, else empty.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

// `text` in single quotes, shortened and with control characters escaped: fit for a message.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace tenon::config
