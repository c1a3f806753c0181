// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "topics.hpp"

#include <utf8.h>

namespace tenon::mqtt {
namespace {

constexpr std::string_view digits = "0123456789ABCDEF";
constexpr size_t longest_name = 1'024;  // as it is written

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

std::string written(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (is_plain(c)) {
      out.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append({'%', digits[byte >> 4U], digits[byte & 15U]});
    }
  }
  return out;
}

}  // namespace

std::string topics::to_rm(std::string_view rm) const { return prefix_ + "/to-rm/" + written(rm); }

std::optional<std::string> topics::rm_of(std::string_view topic) const {
  const std::string before = prefix_ + "/to-scheduler/";
  if (!topic.starts_with(before)) return {};
  topic.remove_prefix(before.size());
  if (topic.empty() || topic.size() > longest_name) return {};
  std::string name;
  for (size_t i = 0; i < topic.size(); ++i) {
    if (topic[i] != '%') {
      name.push_back(topic[i]);
      continue;
    }
    const size_t high = i + 2 < topic.size() ? digits.find(topic[i + 1]) : std::string_view::npos;
    const size_t low = high != std::string_view::npos ? digits.find(topic[i + 2]) : std::string_view::npos;
    if (low == std::string_view::npos) return {};
    name.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  // Two topics must not be one RM's, and a name is a text.
  return written(name) == topic && utf8::is_valid(name) ? std::optional(name) : std::nullopt;
}

}  // namespace tenon::mqtt
