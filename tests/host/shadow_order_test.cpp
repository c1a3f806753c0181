// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Two orders are compared by what stands beside what, whatever the keys are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "shadow/order_check.hpp"

namespace tenon::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr size_t plenty = size_t{1} << 20;

struct said {
  std::string name;
  uint64_t first, shadow;
  int64_t until_ms = INT64_MAX;
};

// "a < b" where the first says so and the shadow does not, "a = b" where one of them says that they are equal.
std::vector<std::string> differences(order_check &check, const std::vector<said> &batch, int64_t now_ms = 0,
                                     std::string_view parent = "root") {
  std::vector<checked_item> items;
  items.reserve(batch.size());
  for (const said &one : batch) items.push_back({one.name, {&one.first, 1}, {&one.shadow, 1}, one.until_ms});
  std::vector<std::string> out;
  static_cast<void>(check.check(parent, items, now_ms, [&](const checked_item &a, const checked_item &b, bool tie) {
    out.push_back(std::string(a.name) + (tie ? " = " : " < ") + std::string(b.name));
  }));
  return out;
}

TEST(ShadowOrder, KeysOfAnotherScaleAreNoDifference) {
  order_check check(false, plenty);
  EXPECT_THAT(differences(check, {{"a", 3, 300}, {"b", 1, 7}, {"c", 2, 8}, {"d", 2, 8}}), IsEmpty());
}

TEST(ShadowOrder, NeighboursThatStandTheOtherWayRoundAreOne) {
  order_check check(false, plenty);
  EXPECT_THAT(differences(check, {{"a", 3, 1}, {"b", 1, 2}, {"c", 2, 3}}), ElementsAre("c < a"));
}

TEST(ShadowOrder, ItemsThatAreEqualForOneAloneAreOne) {
  order_check check(false, plenty);
  EXPECT_THAT(differences(check, {{"a", 1, 1}, {"b", 1, 2}}), ElementsAre("a = b"));
  EXPECT_THAT(differences(check, {{"a", 1, 5}, {"b", 2, 5}}), ElementsAre("a = b"));
}

TEST(ShadowOrder, AnItemIsComparedWithWhatWasSaidOfOthersBefore) {
  order_check check(true, plenty);
  EXPECT_THAT(differences(check, {{"a", 1, 1}, {"b", 3, 3}}), IsEmpty());
  EXPECT_THAT(differences(check, {{"c", 2, 2}}), IsEmpty());
  EXPECT_THAT(differences(check, {{"c", 2, 4}}), ElementsAre("c < b"));
  EXPECT_THAT(differences(check, {{"c", 4, 4}}), IsEmpty()) << "what was said of it last counts";
}

TEST(ShadowOrder, WithoutThatOnlyOneBatchIs) {
  order_check check(false, plenty);
  EXPECT_THAT(differences(check, {{"a", 1, 1}}), IsEmpty());
  EXPECT_THAT(differences(check, {{"b", 2, 0}}), IsEmpty());
}

TEST(ShadowOrder, ItemsOfTwoParentsAreNotCompared) {
  order_check check(true, plenty);
  EXPECT_THAT(differences(check, {{"a", 1, 1}}, 0, "root.one"), IsEmpty());
  EXPECT_THAT(differences(check, {{"b", 2, 0}}, 0, "root.two"), IsEmpty());
  EXPECT_THAT(differences(check, {{"b", 2, 0}}, 0, "root.one"), ElementsAre("a < b"));
}

TEST(ShadowOrder, WhatHoldsNoLongerIsNotComparedWithLaterItems) {
  order_check check(true, plenty);
  EXPECT_THAT(differences(check, {{"a", 1, 1, 50}}, 10), IsEmpty());
  EXPECT_THAT(differences(check, {{"b", 2, 0}}, 50), IsEmpty());
  EXPECT_THAT(differences(check, {{"a", 1, 1, 90}}, 60), ElementsAre("a < b"));
}

TEST(ShadowOrder, WhatIsKeptHasALimitAndIsGivenUpAsAWhole) {
  order_check check(true, 4096);
  bool gave_up = false;
  for (uint64_t i = 0; i < 100; ++i) {
    const std::string name = "item-" + std::to_string(i);
    const checked_item one{name, {&i, 1}, {&i, 1}};
    gave_up = check.check("root", {&one, 1}, 0, [](const auto &...) { FAIL(); }) || gave_up;
  }
  EXPECT_TRUE(gave_up);
}

// Whether the orders are the same is found for any keys: no difference exactly where sorting by the two is the same.
TEST(ShadowOrder, NoNeighboursDifferExactlyWhereTheOrdersAreTheSame) {
  std::mt19937 random(7);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<said> batch(1 + random() % 6);
    for (size_t i = 0; i < batch.size(); ++i)
      batch[i] = {std::string(1, static_cast<char>('a' + i)), random() % 3, random() % 3};
    bool same = true;
    for (const said &a : batch) {
      for (const said &b : batch) same = same && (a.first <=> b.first) == (a.shadow <=> b.shadow);
    }
    order_check check(round % 2 == 0, plenty);
    EXPECT_EQ(differences(check, batch).empty(), same) << round;
  }
}

}  // namespace
}  // namespace tenon::host
