// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tenon/testing/applicants.hpp"
#include "tenon/testing/builtin.hpp"

namespace tenon::testing {
namespace {

placed by_namespace(const std::vector<std::pair<std::string, std::string>> &tags) {
  return place(*bound(module_kind::placement_rule, "tag", R"({"value": "namespace"})"),
               {.user = "alice", .tags = tags});
}

TEST(TagRule, ValueOfTheTagBelowTheParent) {
  EXPECT_EQ(by_namespace({{"owner", "x"}, {"namespace", "sales"}}), (placed{"sales", false}));
}

TEST(TagRule, PathFromRootIsAFullPathOtherDotsAreNoLevels) {
  EXPECT_EQ(by_namespace({{"namespace", "root.a.b"}}), (placed{"root.a.b", true}));
  EXPECT_EQ(by_namespace({{"namespace", "a.b"}}), (placed{"a_dot_b", false}));
}

TEST(TagRule, LetterCaseOfTheNameDoesNotMatterAndTheFirstCounts) {
  EXPECT_EQ(by_namespace({{"NameSpace", "first"}, {"namespace", "second"}}), (placed{"first", false}));
  const auto rule = bound(module_kind::placement_rule, "tag", R"({"value": "NAMESPACE"})");
  EXPECT_EQ(place(*rule, {.tags = {{"namespace", "a"}}}), (placed{"a", false}));
}

TEST(TagRule, NoSuchTagOrAnEmptyOneNextRule) {
  EXPECT_EQ(by_namespace({}), declined);
  EXPECT_EQ(by_namespace({{"namespaces", "a"}, {"name", "b"}}), declined);
  EXPECT_EQ(by_namespace({{"namespace", ""}}), declined);
}

TEST(TagRule, WithoutTheNameOfATagRefused) {
  EXPECT_THROW(bound(module_kind::placement_rule, "tag"), std::runtime_error);
  EXPECT_THROW(bound(module_kind::placement_rule, "tag", R"({"value": 7})"), std::runtime_error);
}

}  // namespace
}  // namespace tenon::testing
