// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "made_directory.hpp"

#include <boost/json.hpp>

#include "subject.hpp"

namespace tenon::conformance {

std::vector<std::string> users_of(const probe &p) {
  if (!p.of().users.empty()) return p.of().users;
  std::vector<std::string> out;
  const auto *named = p.manifest().configuration.if_contains("x-users");
  if (named != nullptr && named->is_array()) {
    for (const boost::json::value &one : named->get_array()) {
      if (one.is_string() && !one.get_string().empty()) out.emplace_back(one.get_string());
    }
  }
  return out.empty() ? std::vector<std::string>{"root", "daemon", "alice", "bob"} : out;
}

std::string a_stranger(dice &d) { return "no-such-user-" + number(d.next()); }

std::string spoken_user(const std::string &name) {
  if (name.size() > 40) return "a user whose name has " + number(name.size()) + " bytes";
  return "the user " + shown({name.data(), name.size()});
}

}  // namespace tenon::conformance
