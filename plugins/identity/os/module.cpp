// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The operating system's user database: files, LDAP or whatever its name service switch says.
#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "tenon/sdk/identity.hpp"

namespace {

using namespace tenon::sdk;

constexpr size_t largest_entry = size_t{1} << 20;
constexpr int most_groups = 65'536;  // of one user, as Linux has it

// `look(entry, buffer, size, found)` is one of the lookups that end in _r.
template <class Entry, class Look>
bool look_up(Entry &entry, std::string &buffer, Look &&look) {
  for (buffer.resize(1024);;) {
    Entry *found = nullptr;
    const int problem = look(&entry, buffer.data(), buffer.size(), &found);
    if (problem == 0 || problem == ENOENT || problem == ESRCH) return found != nullptr;
    if (problem == ERANGE && buffer.size() < largest_entry) {
      buffer.resize(buffer.size() * 4);
    } else if (problem != EINTR) {
      throw unavailable(std::generic_category().message(problem));
    }
  }
}

struct os {
  static constexpr std::string_view name = "os";

  // The primary group first, each once. Groups without a name are left out.
  std::optional<std::vector<std::string>> groups(std::string_view user) const {
    if (user.find('\0') != std::string_view::npos) return std::nullopt;  // else who comes before it would be found
    const std::string wanted(user);
    passwd account{};
    std::string buffer;
    if (!look_up(account, buffer, [&](auto... out) { return getpwnam_r(wanted.c_str(), out...); })) return std::nullopt;
    int count = 64;
    std::vector<gid_t> ids(64);
    while (getgrouplist(wanted.c_str(), account.pw_gid, ids.data(), &count) < 0) {
      if (count > most_groups) throw unavailable("the user has too many groups");
      ids.resize(static_cast<size_t>(count));
    }
    ids.resize(static_cast<size_t>(count));
    std::vector<std::string> out;
    for (const gid_t id : ids) {
      group entry{};
      if (!look_up(entry, buffer, [&](auto... to) { return getgrgid_r(id, to...); })) continue;
      if (std::find(out.begin(), out.end(), entry.gr_name) == out.end()) out.emplace_back(entry.gr_name);
    }
    return out;
  }
};

}  // namespace

TENON_MODULE(identity<os>)
