// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/names.hpp"

#include <gmock/gmock.h>

#include "tenon/kernel/acl.hpp"
#include "tenon/kernel/placement_filter.hpp"

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using texts = std::vector<std::string>;

TEST(Names, QueueNamesHaveUpTo64Characters) {
  for (const char *good : {"a", "0", "A-b_c", "ns:user", "user@realm", "a/b", "#1", "-", "@recovery@"})
    EXPECT_TRUE(is_queue_name(good)) << good;
  for (const char *bad : {"", "a.b", "a b", "a$", "a!", "a\n", "\xC3\xA9"}) EXPECT_FALSE(is_queue_name(bad)) << bad;
  EXPECT_TRUE(is_queue_name(std::string(64, 'x')));
  EXPECT_FALSE(is_queue_name(std::string(65, 'x')));
}

TEST(Names, UserNamesBeginAsWordsAndMayEndInADollar) {
  for (const char *good : {"a", "_x", "user.lastname", "user@domain", "machine$", "oidc:group/user#1", "A-1"})
    EXPECT_TRUE(is_user_name(good)) << good;
  for (const char *bad : {"", "$", "1a", "-a", "a b", "a$b", "a$$", "a!", "*", ".a", "a\n"})
    EXPECT_FALSE(is_user_name(bad)) << bad;
}

TEST(Names, GroupNamesAreNarrower) {
  for (const char *good : {"a", "_x", "system:unauthenticated", "a.b-c"}) EXPECT_TRUE(is_group_name(good)) << good;
  for (const char *bad : {"", "a@b", "a/b", "a#", "a$", " a", "1a"}) EXPECT_FALSE(is_group_name(bad)) << bad;
}

TEST(Names, RuleNamesAreIdentifiers) {
  EXPECT_TRUE(is_rule_name("_rule1"));
  for (const char *bad : {"", "1rule", "my-rule", "@fixed", "a b"}) EXPECT_FALSE(is_rule_name(bad)) << bad;
}

acl parsed(std::string_view text) {
  const auto out = parse_acl(text);
  EXPECT_TRUE(out) << text;
  return out ? *out : acl{};
}

TEST(Acl, NobodyWithoutAList) {
  for (const char *text : {"", " ", "  \t"}) {
    EXPECT_EQ(parsed(text), acl{});
    EXPECT_FALSE(parsed(text).allows("root", texts{"wheel"}));
  }
}

TEST(Acl, TheWildcardAllowsEverybody) {
  for (const char *text : {"*", "* ", " *", "* group", "user *", "*\n"})
    EXPECT_TRUE(parsed(text).allows("anybody", texts{})) << text;
  EXPECT_FALSE(parsed("*,user").allows("anybody", texts{}));
  EXPECT_TRUE(parsed("*,user").allows("user", texts{}));
}

TEST(Acl, UsersAndGroupsMatchExactly) {
  const acl list = parsed("bob,alice admins,dev");
  EXPECT_TRUE(list.allows("alice", texts{}));
  EXPECT_TRUE(list.allows("carol", texts{"staff", "dev"}));
  EXPECT_FALSE(list.allows("Alice", texts{}));
  EXPECT_FALSE(list.allows("admins", texts{}));
  EXPECT_FALSE(list.allows("carol", texts{"alice"}));
}

TEST(Acl, ALeadingSpaceMeansGroupsOnly) {
  const acl list = parsed(" admins,dev");
  EXPECT_THAT(list.users, ElementsAre());
  EXPECT_TRUE(list.allows("x", texts{"dev"}));
  EXPECT_FALSE(list.allows("dev", texts{}));
}

TEST(Acl, NamesAsWideAsThoseOfLimits) {
  const acl list = parsed("oidc:a/b#c,host$ system:authenticated,a.b");
  EXPECT_TRUE(list.allows("oidc:a/b#c", texts{}));
  EXPECT_TRUE(list.allows("host$", texts{}));
  EXPECT_TRUE(list.allows("x", texts{"system:authenticated"}));
  EXPECT_THAT(list.ignored, ElementsAre());
}

TEST(Acl, WhatIsNoNameIsIgnoredAndRemembered) {
  const acl list = parsed("bob,,1x,b$d g!,dev");
  EXPECT_THAT(list.users, ElementsAre("bob"));
  EXPECT_THAT(list.groups, ElementsAre("dev"));
  EXPECT_THAT(list.ignored, ElementsAre("1x", "b$d", "g!"));
}

TEST(Acl, MoreThanTwoListsAreRefusedHoweverTheyAreSeparated) {
  for (const char *text : {"a b c", "a  b", "  a", "a  ", " a b", "a b ", "a\tb\tc", " * "}) {
    const auto out = parse_acl(text);
    ASSERT_FALSE(out) << "'" << text << "'";
    EXPECT_THAT(out.why().have, HasSubstr("multiple spaces found in ACL"));
  }
}

bool accepts(const placement_filter_config &config, std::string_view user, const texts &groups = {}) {
  const auto filter = placement_filter::compile(config);
  EXPECT_TRUE(filter);
  return filter && filter->accepts(user, groups);
}

TEST(PlacementFilter, WithoutListsTheTypeDecides) {
  EXPECT_TRUE(placement_filter().accepts("x", texts{}));
  EXPECT_TRUE(accepts({.allow = true, .users = {}, .groups = {}}, "x"));
  EXPECT_FALSE(accepts({.allow = false, .users = {}, .groups = {}}, "x"));
}

TEST(PlacementFilter, ListedOnesGetWhatTheTypeSays) {
  const placement_filter_config allow{.allow = true, .users = {"bob", "al"}, .groups = {"dev"}};
  EXPECT_TRUE(accepts(allow, "bob"));
  EXPECT_TRUE(accepts(allow, "x", {"ops", "dev"}));
  EXPECT_FALSE(accepts(allow, "x", {"ops"}));
  const placement_filter_config deny{.allow = false, .users = {"bob"}, .groups = {}};
  EXPECT_FALSE(accepts(deny, "bob"));
  EXPECT_TRUE(accepts(deny, "x"));
}

TEST(PlacementFilter, ASingleEntryMayBeAnExpression) {
  EXPECT_TRUE(accepts({.users = {"^user-[0-9]+$"}, .groups = {}}, "user-12"));
  EXPECT_FALSE(accepts({.users = {"^user-[0-9]+$"}, .groups = {}}, "user-x"));
  EXPECT_TRUE(accepts({.users = {"dev|ops"}, .groups = {}}, "an-ops-user"));
  EXPECT_TRUE(accepts({.users = {}, .groups = {"sys.*"}}, "x", {"my-system"}));
  // A plain name is not an expression: the dot is a dot.
  EXPECT_FALSE(accepts({.users = {"a.b"}, .groups = {}}, "axb"));
  // "$" makes an expression, so this is "user" at the end of a name.
  EXPECT_TRUE(accepts({.users = {"user$"}, .groups = {}}, "superuser"));
}

TEST(PlacementFilter, OfSeveralEntriesOnlyNamesCount) {
  const placement_filter_config several{.users = {"^a.*", "bob", "1x"}, .groups = {}};
  EXPECT_TRUE(accepts(several, "bob"));
  EXPECT_FALSE(accepts(several, "abc"));
  EXPECT_FALSE(accepts(several, "1x"));
}

TEST(PlacementFilter, AnEntryThatIsNeitherMatchesNobody) {
  EXPECT_FALSE(accepts({.users = {"a!b"}, .groups = {}}, "a!b"));
  EXPECT_TRUE(accepts({.allow = false, .users = {"a!b"}, .groups = {}}, "a!b"));
}

TEST(PlacementFilter, ABrokenExpressionIsRefused) {
  EXPECT_THAT(placement_filter::compile({.users = {"(a"}, .groups = {}}).why().have, HasSubstr("missing ): (a"));
  EXPECT_THAT(placement_filter::compile({.users = {}, .groups = {"[a"}}).why().have, HasSubstr("missing ]: [a"));
}

}  // namespace
}  // namespace tenon
