// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>

#include "answer.hpp"

namespace tenon::rest {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool digit(char c) { return c >= '0' && c <= '9'; }
char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool all_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || digit(c) || others.find(c) != std::string_view::npos; });
}
bool starts_well(std::string_view name) { return !name.empty() && (letter(name[0]) || name[0] == '_'); }

}  // namespace

void check_queue_name(std::string_view path) {
  while (true) {
    const std::string_view part = path.substr(0, path.find('.'));
    if (part.empty() || part.size() > 64 || !all_of(part, "_:#/@-")) {
      throw refused{
          400,
          "invalid queue name, max 64 characters consisting of alphanumeric characters and '-', '_', '#', "
          "'@', '/', ':' allowed",
          "ask for a path of GET /ws/v1/partition/PARTITION/queues, as root.team; a queue's name is encoded twice"};
    }
    if (part.size() == path.size()) return;
    path.remove_prefix(part.size() + 1);
  }
}

void check_user_name(std::string_view name) {
  std::string_view body = name;
  if (body.ends_with('$')) body.remove_suffix(1);
  if (!starts_well(body) || !all_of(body, ":#/_.@-"))
    throw refused{400, "Invalid user name", "it begins with a letter or _, and has letters, digits and : # / _ . @ -"};
}

void check_group_name(std::string_view name) {
  if (!starts_well(name) || !all_of(name, ":_.-"))
    throw refused{400, "Invalid group name", "it begins with a letter or _, and has letters, digits and : _ . -"};
}

bool same_without_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return small(x) == small(y); });
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char &c : out) c = small(c);
  return out;
}

void nearest_name::look_at(std::string_view known) {
  size_t same = 0;
  while (same < std::min(known.size(), wanted_.size()) && small(known[same]) == small(wanted_[same])) ++same;
  if (!nearest_.empty() && same <= same_) return;
  nearest_ = known;
  same_ = same;
}

refused nearest_name::not_found(std::string_view object) const {
  return {404, std::string(object) + " not found", nearest()};
}

std::string nearest_name::nearest() const {
  return "there is no '" + std::string(wanted_) + "'" +
         (nearest_.empty() ? ", and none at all" : "; did you mean '" + nearest_ + "'?");
}

}  // namespace tenon::rest
