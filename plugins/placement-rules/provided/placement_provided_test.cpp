// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tenon/testing/applicants.hpp"
#include "tenon/testing/builtin.hpp"

namespace tenon::testing {
namespace {

placed provided(const std::string &queue) {
  return place(*bound(module_kind::placement_rule, "provided"), {.queue = queue, .user = "alice"});
}

TEST(ProvidedRule, NameOfTheApplicationBelowTheParent) { EXPECT_EQ(provided("Sales"), (placed{"Sales", false})); }

TEST(ProvidedRule, PathFromRootIsAFullPath) { EXPECT_EQ(provided("root.a.b"), (placed{"root.a.b", true})); }

TEST(ProvidedRule, OtherDotsAreNoLevels) {
  EXPECT_EQ(provided("a.b"), (placed{"a_dot_b", false}));
  EXPECT_EQ(provided("ROOT.a"), (placed{"ROOT_dot_a", false}));
  EXPECT_EQ(provided("root"), (placed{"root", false}));
}

TEST(ProvidedRule, NoQueueNextRule) { EXPECT_EQ(provided(""), declined); }

TEST(ProvidedRule, ValueOfTheRuleDoesNotMatter) {
  const auto rule = bound(module_kind::placement_rule, "provided", R"({"value": "x"})");
  EXPECT_EQ(place(*rule, {.queue = "a"}), (placed{"a", false}));
}

}  // namespace
}  // namespace tenon::testing
