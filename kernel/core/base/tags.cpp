// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/tags.hpp"

#include <algorithm>
#include <array>
#include <boost/json/src.hpp>

#include "tenon/kernel/names.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

std::string_view find_tag(texts tags, std::string_view key) {
  const std::string wanted = lower_case(key);
  for (const named_text &tag : tags) {
    if (tag.key.size() == wanted.size() && lower_case(tag.key) == wanted) return tag.value;
  }
  return {};
}

bool tag_is_true(texts tags, std::string_view key) {
  static constexpr std::array<std::string_view, 6> yes{"1", "t", "T", "true", "True", "TRUE"};
  return std::find(yes.begin(), yes.end(), find_tag(tags, key)) != yes.end();
}

std::optional<amount_map> amounts_in_tag(std::string_view json) {
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse(json, error);
  if (error || !parsed.is_object()) return std::nullopt;
  const boost::json::value *types = parsed.as_object().if_contains("resources");
  if (types == nullptr || !types->is_object()) return std::nullopt;
  amount_map amounts;
  bool some = false;
  for (const auto &[type, quantity] : types->as_object()) {
    const boost::json::value *value = quantity.is_object() ? quantity.as_object().if_contains("value") : nullptr;
    if (value == nullptr || !value->is_int64()) return std::nullopt;
    if (value->as_int64() < 0 || value->as_int64() > largest_sum) return std::nullopt;
    amounts[std::string(type)] = value->as_int64();
    some |= value->as_int64() > 0;
  }
  if (!some) return std::nullopt;
  return amounts;
}

}  // namespace tenon::internal
