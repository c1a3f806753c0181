// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>

#include "tenon/testing/builtin.hpp"
#include "tenon/testing/resolved_groups.hpp"

namespace tenon::testing {
namespace {

// Of the whole database, by going through it.
std::vector<std::string> groups_with_member(const std::string &user) {
  std::vector<std::string> out;
  ::setgrent();
  while (const group *entry = ::getgrent())
    for (char **member = entry->gr_mem; *member != nullptr; ++member)
      if (user == *member) out.emplace_back(entry->gr_name);
  ::endgrent();
  return out;
}

TEST(OsIdentity, EveryUserOfTheMachinePrimaryGroupFirstThenItsMemberships) {
  const auto source = bound(module_kind::identity, "os");
  std::vector<std::pair<std::string, gid_t>> users;
  ::setpwent();
  while (const passwd *account = ::getpwent()) users.emplace_back(account->pw_name, account->pw_gid);
  ::endpwent();
  ASSERT_FALSE(users.empty());
  for (const auto &[user, primary] : users) {
    const auto answer = resolve(*source, user);
    ASSERT_EQ(answer.status, TENON_OK) << user << ": " << answer.text;
    if (const group *entry = ::getgrgid(primary); entry != nullptr) {
      EXPECT_EQ(answer.groups.at(0), entry->gr_name);
    }
    for (const std::string &name : groups_with_member(user))
      EXPECT_THAT(answer.groups, ::testing::Contains(name)) << user;
  }
}

TEST(OsIdentity, UserThatIsNotThereDeclined) {
  EXPECT_EQ(resolve(*bound(module_kind::identity, "os"), "no-such-user-here").status, TENON_DECLINED);
}

}  // namespace
}  // namespace tenon::testing
