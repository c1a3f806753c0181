// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "path_names.hpp"

#include <algorithm>

#include "answer.hpp"

namespace tenon::rest {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool digit(char c) { return c >= '0' && c <= '9'; }

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

void nearest_name::look_at(std::string_view known) {
  const size_t most = std::min(known.size(), wanted_.size());
  size_t begins = 0, ends = 0;
  while (begins < most && lower_case(known[begins]) == lower_case(wanted_[begins])) ++begins;
  while (begins + ends < most &&
         lower_case(known[known.size() - 1 - ends]) == lower_case(wanted_[wanted_.size() - 1 - ends])) {
    ++ends;
  }
  const size_t same = begins + ends, others = std::max(known.size(), wanted_.size()) - same;
  if (!nearest_.empty() && (same < same_ || (same == same_ && others >= others_))) return;
  nearest_ = known;
  same_ = same;
  others_ = others;
}

bool nearest_name::is_slip() const { return !nearest_.empty() && same_ > 2 * others_; }

refused nearest_name::not_found(std::string_view object) const {
  return {404, std::string(object) + " not found", nearest()};
}

std::string nearest_name::nearest() const {
  constexpr size_t longest = 200;
  return "there is no '" + std::string(wanted_.substr(0, longest)) + (wanted_.size() > longest ? "...'" : "'") +
         (nearest_.empty() ? ", and none at all"
          : same_ == 0     ? "; one that is there is '" + nearest_ + "'"
                           : "; did you mean '" + nearest_ + "'?");
}

}  // namespace tenon::rest
