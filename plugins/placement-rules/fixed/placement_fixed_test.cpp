// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tenon/testing/applicants.hpp"
#include "tenon/testing/builtin.hpp"

namespace tenon::testing {
namespace {

placed fixed(const std::string &queue) {
  return place(*bound(module_kind::placement_rule, "fixed", R"({"value": ")" + queue + "\"}"),
               {.queue = "root.other", .user = "alice", .tags = {{"namespace", "b"}}});
}

TEST(FixedRule, NameBelowTheParentWhoeverAsks) { EXPECT_EQ(fixed("rest"), (placed{"rest", false})); }

TEST(FixedRule, DotsAreLevels) { EXPECT_EQ(fixed("a.b"), (placed{"a.b", false})); }

TEST(FixedRule, RootOrPathFromItIsAFullPath) {
  EXPECT_EQ(fixed("root"), (placed{"root", true}));
  EXPECT_EQ(fixed("root.a.b"), (placed{"root.a.b", true}));
  EXPECT_EQ(fixed("rooted.a"), (placed{"rooted.a", false}));
}

TEST(FixedRule, LetterCaseIsFolded) { EXPECT_EQ(fixed("ROOT.Rest"), (placed{"root.rest", true})); }

TEST(FixedRule, WithoutAQueueRefused) {
  EXPECT_THROW(fixed(""), std::runtime_error);
  EXPECT_THROW(bound(module_kind::placement_rule, "fixed"), std::runtime_error);
}

}  // namespace
}  // namespace tenon::testing
