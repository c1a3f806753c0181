// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tenon/testing/applicants.hpp"
#include "tenon/testing/builtin.hpp"

namespace tenon::testing {
namespace {

placed user(const std::string &name) {
  return place(*bound(module_kind::placement_rule, "user"), {.queue = "root.other", .user = name});
}

TEST(UserRule, NameOfTheUserBelowTheParent) { EXPECT_EQ(user("alice"), (placed{"alice", false})); }

TEST(UserRule, DotsAreNoLevels) {
  EXPECT_EQ(user("alice.smith"), (placed{"alice_dot_smith", false}));
  EXPECT_EQ(user("root.alice"), (placed{"root_dot_alice", false}));
}

TEST(UserRule, LongestNameOfDotsHasRoom) {
  std::string levels;
  for (int i = 0; i < 819; ++i) levels += "_dot_";
  EXPECT_EQ(user(std::string(819, '.')), (placed{levels, false}));
}

TEST(UserRule, NameThatHasNoRoomIsNotCut) {
  EXPECT_EQ(place(*bound(module_kind::placement_rule, "user"), {.user = "alice"}, 4),
            (placed{{}, false, TENON_EXHAUSTED}));
}

}  // namespace
}  // namespace tenon::testing
