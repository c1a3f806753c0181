// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "paging.hpp"

#include <algorithm>

#include "path_names.hpp"
#include "shapes.hpp"

namespace tenon::rest {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

std::string hidden(std::string_view key) {
  std::string out;
  for (const char c : key) {
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string shown(std::string_view cursor) {
  std::string out;
  const refused no{400, "query parameter \"cursor\": want one of Tenon-Next-Cursor",
                   "have \"" + std::string(cursor.substr(0, 64)) + "\"; leave it out for the first page"};
  if (cursor.size() % 2 != 0) throw no;
  for (size_t i = 0; i < cursor.size(); i += 2) {
    const size_t high = digits.find(cursor[i]), low = digits.find(cursor[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) throw no;
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

}  // namespace

std::string place(uint64_t number) {
  std::string out = std::to_string(number);
  return std::string(20 - out.size(), '0') + out;
}

page::page(const request &asked, std::string_view shape_name) {
  limit_ = asked.number("limit", 1, 1'000'000).value_or(UINT64_MAX);
  if (const auto cursor = asked.asked("cursor")) cursor_ = shown(*cursor);
  const auto fields = asked.asked("fields");
  if (!fields) return;
  const shape *s = find_shape(shape_name);
  for (std::string_view rest = *fields; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (std::none_of(s->keys.begin(), s->keys.end(), [&](const key_shape &k) { return k.key == one; })) {
      std::string known;
      nearest_name near(one);
      for (const key_shape &k : s->keys) {
        known += (known.empty() ? "" : ", ") + std::string(k.key);
        near.look_at(k.key);
      }
      throw refused{
          400,
          "query parameter \"fields\": there is no field \"" + std::string(one.substr(0, 64)) + "\"; one of: " + known,
          "did you mean '" + near.name() + "'?"};
    }
    fields_.emplace_back(one);
  }
  if (fields_.empty())
    throw refused{400, "query parameter \"fields\": want a field, have none", "leave it out for all fields"};
}

bool page::wants(std::string_view key) {
  if (!cursor_.empty() && key <= cursor_) return false;
  if (count_ == limit_) {
    more_ = true;
    return false;
  }
  last_ = key;
  return true;
}

bool page::shows(std::string_view field) const {
  return fields_.empty() || std::find(fields_.begin(), fields_.end(), field) != fields_.end();
}

void page::add(boost::json::object element) {
  if (!fields_.empty()) {
    boost::json::object kept;
    for (const std::string &field : fields_) {
      if (auto *value = element.if_contains(field)) kept[field] = std::move(*value);
    }
    element = std::move(kept);
  }
  if (count_++ != 0) body_ += ',';
  body_ += boost::json::serialize(element);
}

answer page::take() {
  answer out;
  out.body = std::move(body_) + "]";
  if (more_) out.headers.emplace_back("Tenon-Next-Cursor", hidden(last_));
  return out;
}

}  // namespace tenon::rest
