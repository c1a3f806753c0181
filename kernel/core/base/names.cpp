// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/names.hpp"

#include <algorithm>

namespace tenon {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_letter_or_digit(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

bool all_in(std::string_view text, std::string_view beside_letters) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter_or_digit(c) || beside_letters.find(c) != std::string_view::npos; });
}

bool starts_as_name(std::string_view text) { return !text.empty() && (text[0] == '_' || is_letter(text[0])); }

}  // namespace

bool is_queue_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_queue_name && all_in(text, "_:#/@-");
}

bool is_user_name(std::string_view text) {
  if (!starts_as_name(text)) return false;
  if (text.back() == '$') text.remove_suffix(1);
  return all_in(text, ":#/_.@-");
}

bool is_group_name(std::string_view text) { return starts_as_name(text) && all_in(text, ":_.-"); }

bool is_rule_name(std::string_view text) { return starts_as_name(text) && all_in(text, "_"); }

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char &c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace tenon
