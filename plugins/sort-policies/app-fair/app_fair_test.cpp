// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/sdk/keys.hpp"
#include "tenon/testing/fact_rows.hpp"
#include "tenon/testing/properties.hpp"

namespace tenon {
namespace {

using amounts = testing::policy_table::amounts;
using order = std::vector<uint32_t>;

testing::policy_table apps(const std::vector<amounts> &allocated, const amounts &guaranteed,
                           const std::vector<int64_t> &priority, bool priority_sort = false) {
  testing::policy_table out({"vcore", "memory", "gpu"});
  out.resources("app.allocated", allocated).numbers("app.priority", priority);
  out.resources("queue.guaranteed", {guaranteed}).numbers("parent.priority_sort", {priority_sort ? 1 : 0});
  return out;
}

std::unique_ptr<bound_policy> fair(uint32_t max_resource_types = 16) {
  return testing::bound(module_kind::app_sort, "fair", "{}", max_resource_types);
}

TEST(AppFair, OneTypeSmallestShareFirst) {
  EXPECT_EQ(apps({{{"vcore", 30}}, {{"vcore", 10}}, {}}, {{"vcore", 100}}, {0, 0, 0}).order(*fair()), (order{2, 1, 0}));
}

TEST(AppFair, SeveralTypesLargestShareDecidesThenTheNext) {
  // Shares: 0 {0.5, 0.2}, 1 {0.5, 0.1}, 2 {0.4, 0.4}.
  const std::vector<amounts> allocated{
      {{"vcore", 50}, {"memory", 20}}, {{"vcore", 10}, {"memory", 50}}, {{"vcore", 40}, {"memory", 40}}};
  EXPECT_EQ(apps(allocated, {{"vcore", 100}, {"memory", 100}}, {0, 0, 0}).order(*fair()), (order{2, 1, 0}));
}

TEST(AppFair, NoGuaranteeRawAmountsAreCompared) {
  EXPECT_EQ(apps({{{"vcore", 2}}, {{"memory", 1}}}, {}, {0, 0}).order(*fair()), (order{1, 0}));
}

TEST(AppFair, TypeWithoutGuaranteeItsRawAmountOutweighsShares) {
  EXPECT_EQ(apps({{{"gpu", 1}}, {{"vcore", 90}}}, {{"vcore", 100}}, {0, 0}).order(*fair()), (order{1, 0}));
}

TEST(AppFair, GuaranteeOfZeroRawAmount) {
  EXPECT_EQ(apps({{{"gpu", 2}}, {{"vcore", 150}}}, {{"gpu", 0}, {"vcore", 100}}, {0, 0}).order(*fair()), (order{1, 0}));
}

TEST(AppFair, WithoutPrioritySortPriorityBreaksEqualShares) {
  EXPECT_EQ(apps({{{"vcore", 5}}, {{"vcore", 5}}, {{"vcore", 4}}}, {}, {1, 3, 0}).order(*fair()), (order{2, 1, 0}));
}

TEST(AppFair, WithPrioritySortPriorityBeforeShares) {
  EXPECT_EQ(apps({{{"vcore", 5}}, {{"vcore", 9}}, {{"vcore", 8}}}, {}, {1, 3, 3}, true).order(*fair()),
            (order{2, 1, 0}));
}

TEST(AppFair, KeyWordsOneForEachPossibleTypeAndOneForPriority) {
  EXPECT_EQ(fair(3)->key_words, 4U);
  EXPECT_EQ(fair(64)->key_words, 65U);
}

TEST(AppFair, MoreTypesThanUsedTheRestCountsAsZero) {
  const auto keys = apps({{{"vcore", 50}}}, {{"vcore", 100}}, {0}).keys(*fair(3)).keys;
  EXPECT_EQ(keys[0], (std::vector<uint64_t>{sdk::ascending(0.5), sdk::ascending(0.0), sdk::ascending(0.0),
                                            sdk::descending(int64_t{0})}));
}

TEST(AppFair, TableOfTheFieldSameComparisons) {
  const auto facts = testing::share_facts("CompUsageRatio");
  EXPECT_GT(facts.size(), 10U);
  for (const auto &[arguments, expected, text] : facts) {
    testing::policy_table pair({"first", "second", "third", "large", "small", "zero"});
    pair.resources("app.allocated", {arguments.at(0), arguments.at(1)}).numbers("app.priority", {0, 0});
    pair.resources("queue.guaranteed", {arguments.at(2)}).numbers("parent.priority_sort", {0});
    const auto keys = pair.keys(*fair()).keys;
    EXPECT_EQ(keys[0] < keys[1] ? -1 : keys[1] < keys[0] ? 1 : 0, expected) << text;
  }
}

TEST(AppFair, AnyOrderAndAnySubsetSameKeys) {
  std::mt19937 random(13);
  std::vector<amounts> allocated;
  std::vector<int64_t> priority;
  for (int i = 0; i < 60; ++i) {
    allocated.push_back({{"vcore", random() % 10}, {"memory", random() % 10}});
    priority.push_back(static_cast<int64_t>(random() % 3));
  }
  testing::expect_keys_of_items_alone(apps(allocated, {{"vcore", 7}}, priority, true), *fair(), *fair());
}

}  // namespace
}  // namespace tenon
