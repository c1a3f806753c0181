// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tag_amounts.hpp"

#include <charconv>
#include <regex>

#include "amounts.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {

std::optional<amount_map> tag_amounts(const std::string &json) {
  static const std::regex whole(R"(\s*\{\s*"resources"\s*:\s*\{(.*)\}\s*\}\s*)");
  static const std::regex item(R"re(\s*"([^"\\]*)"\s*:\s*\{\s*"value"\s*:\s*(-?[0-9]+)\s*\}\s*(,|$))re");
  std::smatch inside;
  if (!std::regex_match(json, inside, whole)) return std::nullopt;
  amount_map out;
  std::string left = inside[1];
  bool more = true;
  for (std::smatch one; more; left = one.suffix()) {
    if (!std::regex_search(left, one, item, std::regex_constants::match_continuous)) return std::nullopt;
    const std::string digits = one[2];
    int64_t amount = 0;
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), amount);
    if (end.ec != std::errc() || amount < 0 || amount > largest_sum) return std::nullopt;
    out[one[1]] = amount;
    more = one[3] == ",";
  }
  return any_positive(out) ? std::optional(out) : std::nullopt;
}

std::optional<uint64_t> tag_count(const std::string &text) {
  uint64_t out = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size() || out == 0) return std::nullopt;
  return out;
}

}  // namespace tenon::naive
