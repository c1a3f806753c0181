// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Groups of users from an LDAP directory. The connection is kept from one user to the next.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "directory.hpp"
#include "directory_settings.hpp"
#include "tenon/sdk/identity.hpp"

namespace {

using namespace tenon::sdk;
using namespace tenon::identity_ldap;

struct ldap_groups {
  static constexpr std::string_view name = "ldap";

  explicit ldap_groups(const config &given) : how_(given) {}

  void init(const host_services &host) {
    host_ = host;
    for (const std::string &warning : how_.warnings()) host.log(TENON_LOG_WARNING, warning);
  }

  // In the order of the directory, each once.
  std::optional<std::vector<std::string>> groups(std::string_view user) {
    for (bool kept = directory_.has_value();; kept = false) {
      try {
        return look_up(user);
      } catch (const directory_error &) {
        directory_.reset();
        if (!kept) throw;  // else it may have ended while nobody asked
      }
    }
  }

 private:
  using clock = std::chrono::steady_clock;

  void connect() {
    if (directory_) return;
    if (clock::now() < again_at_) throw unavailable(problem_);
    try {
      directory_.emplace(how_);
    } catch (const directory_error &e) {
      problem_ = e.what();
      again_at_ = clock::now() + how_.pause;
      throw;
    }
  }

  // A directory that knows where more might be is no error: those of Active Directory say so below each domain.
  std::vector<entry> search(const std::string &base, const std::string &filter, const std::string &attribute) {
    found_entries found = directory_->search(base, filter, attribute);
    if (found.elsewhere != 0 && !std::exchange(told_of_others_, true))
      host_.log(TENON_LOG_WARNING, "other directories have " + std::to_string(found.elsewhere) + " parts of " + base +
                                       "; users and groups there are not found");
    return std::move(found.entries);
  }

  std::optional<std::vector<std::string>> look_up(std::string_view user) {
    connect();
    const bool searched = !how_.group_filter.empty();
    const std::vector<entry> users =
        search(how_.base, how_.user_filter.with(user), searched ? LDAP_NO_ATTRS : how_.group_attribute);
    if (users.empty()) return std::nullopt;
    if (users.size() > 1)
      throw unavailable(users[0].name + " and " + users[1].name + " both fit the filter of users: want one");
    std::vector<std::string> out;
    const auto add = [&](std::string group) {
      if (!group.empty() && std::find(out.begin(), out.end(), group) == out.end()) out.push_back(std::move(group));
    };
    if (searched) {
      const std::string filter = how_.group_filter.with(user, users[0].name);
      for (const entry &group : search(how_.group_base, filter, how_.group_name))
        if (!group.values.empty()) add(group.values[0]);
    } else {
      for (const std::string &value : users[0].values) add(group_named_by(value));
    }
    return out;
  }

  const settings how_;
  host_services host_;
  bool told_of_others_ = false;
  std::optional<directory> directory_;  // nothing: to be connected
  std::string problem_;                 // of the last connection that could not be had,
  clock::time_point again_at_;          // which is not tried again before
};

}  // namespace

TENON_MODULE(identity<ldap_groups>)
