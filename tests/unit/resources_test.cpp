// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/resources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace tenon {
namespace {

constexpr int64_t largest = std::numeric_limits<int64_t>::max();
constexpr int64_t smallest = std::numeric_limits<int64_t>::min();
__extension__ using wide = __int128;

resources of(std::initializer_list<std::pair<type_index, int64_t>> amounts) {
  resources r;
  for (const auto &[type, amount] : amounts) r.set(type, amount);
  return r;
}

int64_t clamp(wide exact) { return static_cast<int64_t>(std::clamp<wide>(exact, smallest, largest)); }

// Few types, so that sets overlap, and amounts that are small, equal or at the ends.
class random_resources {
 public:
  explicit random_resources(uint64_t seed) : engine_(seed) {}

  int64_t amount() {
    switch (engine_() % 6) {
      case 0:
        return 0;
      case 1:
        return largest - static_cast<int64_t>(engine_() % 3);
      case 2:
        return smallest + static_cast<int64_t>(engine_() % 3);
      case 3:
        return static_cast<int64_t>(engine_());
      default:
        return static_cast<int64_t>(engine_() % 9) - 4;
    }
  }
  resources next() {
    resources r;
    for (type_index t = 0; t < 5; ++t) {
      if (engine_() % 2 == 0) r.set(t, amount());
    }
    if (engine_() % 8 == 0) r.set(63, amount());
    if (engine_() % 8 == 0) r.reserve_types(static_cast<uint32_t>(engine_() % 65));
    return r;
  }

 private:
  std::mt19937_64 engine_;
};

// Calls check(a, b) for many pairs.
template <class F>
void for_pairs(F &&check) {
  for (uint64_t seed = 1; seed <= 20'000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_resources random(seed);
    const resources a = random.next(), b = random.next();
    check(a, b);
  }
}

TEST(ResourceTypes, AreNumberedInTheOrderOfTheirFirstUse) {
  resource_types types(4);
  EXPECT_EQ(types.intern("memory"), 0U);
  EXPECT_EQ(types.intern("vcore"), 1U);
  EXPECT_EQ(types.intern("memory"), 0U);
  EXPECT_EQ(types.name(1), "vcore");
  EXPECT_EQ(types.count(), 2U);
  EXPECT_EQ(types.find("vcore"), 1U);
  EXPECT_EQ(types.find("gpu"), no_type) << "looking does not intern";
  EXPECT_EQ(types.count(), 2U);
}

TEST(ResourceTypes, ANewTypeBeyondTheLimitIsRefusedAndKnownOnesStay) {
  resource_types types(2);
  EXPECT_NE(types.intern("a"), no_type);
  EXPECT_NE(types.intern("b"), no_type);
  EXPECT_EQ(types.intern("c"), no_type);
  EXPECT_EQ(types.intern("b"), 1U);
  EXPECT_EQ(types.count(), 2U);
}

TEST(ResourceTypes, ThereAreNeverMoreThanAMaskHasBits) {
  resource_types types(1'000);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(types.intern(std::to_string(i)), i);
  EXPECT_EQ(types.intern("64"), no_type);
}

TEST(Resources, UndefinedIsNotZero) {
  resources r = of({{2, 0}});
  EXPECT_TRUE(r.has(2));
  EXPECT_FALSE(r.has(1));
  EXPECT_FALSE(r.has(63));
  EXPECT_FALSE(r.has(no_type));
  EXPECT_EQ(r[1], 0);
  EXPECT_EQ(r[63], 0);
  EXPECT_NE(r, resources{});
  EXPECT_TRUE(equal_amounts(r, resources{}));
  r.erase(2);
  EXPECT_EQ(r, resources{});
  EXPECT_TRUE(r.empty());
}

TEST(Resources, AnErasedAmountDoesNotComeBack) {
  resources r = of({{0, 7}});
  r.erase(0);
  EXPECT_EQ(r[0], 0);
  EXPECT_EQ(r.data()[0], 0);
  r.add(0, 1);
  EXPECT_EQ(r[0], 1);
  r.clear();
  EXPECT_EQ(r, resources{});
  r.set(1, 2);
  EXPECT_EQ(r, of({{1, 2}}));
}

TEST(Resources, ReservedTypesAreZeroAndChangeNoComparison) {
  resources r = of({{0, 5}});
  r.reserve_types(40);
  ASSERT_EQ(r.size(), 40U);
  EXPECT_TRUE(std::all_of(r.data() + 1, r.data() + 40, [](int64_t amount) { return amount == 0; }));
  EXPECT_EQ(r, of({{0, 5}}));
  EXPECT_EQ(of({{0, 5}}), r);
  r.reserve_types(10);
  EXPECT_EQ(r.size(), 40U) << "never shrinks";
  r.reserve_types(1'000);
  EXPECT_EQ(r.size(), 64U);
}

TEST(Resources, AMovedFromSetIsEmpty) {
  for (const type_index t : {type_index{0}, type_index{40}}) {  // within the object, and outside of it
    resources from = of({{t, 5}});
    resources to = std::move(from);
    EXPECT_EQ(to, of({{t, 5}}));
    EXPECT_TRUE(from.empty());  // NOLINT(bugprone-use-after-move): what this is about
    EXPECT_EQ(from.size(), 0U);
    from.set(1, 1);
    to = std::move(from);
    EXPECT_EQ(to, of({{1, 1}}));
    EXPECT_EQ(from, resources{});  // NOLINT(bugprone-use-after-move)
  }
}

TEST(Resources, TypesAreVisitedInIndexOrder) {
  const resources r = of({{63, 3}, {0, 1}, {17, 2}});
  std::vector<std::pair<type_index, int64_t>> seen;
  for_each_type(r, [&](type_index t, int64_t amount) { seen.emplace_back(t, amount); });
  EXPECT_EQ(seen, (std::vector<std::pair<type_index, int64_t>>{{0, 1}, {17, 2}, {63, 3}}));
}

TEST(ResourcesDeathTest, ATypeThatCouldNotBeInternedIsNeverStored) {
  resources r;
  EXPECT_DEATH(r.set(no_type, 1), "");
  EXPECT_DEATH(r.add(64, 1), "");
}

TEST(SaturatingArithmetic, IsExactOrAtTheEnd) {
  random_resources random(1);
  for (int i = 0; i < 100'000; ++i) {
    const int64_t a = random.amount(), b = random.amount();
    ASSERT_EQ(add_saturating(a, b), clamp(wide{a} + b)) << a << " " << b;
    ASSERT_EQ(sub_saturating(a, b), clamp(wide{a} - b)) << a << " " << b;
    ASSERT_EQ(mul_saturating(a, b), clamp(wide{a} * b)) << a << " " << b;
  }
}

TEST(SaturatingArithmetic, ScalingTruncatesTowardZeroAndSaturates) {
  EXPECT_EQ(scale_saturating(7, 0.5), 3);
  EXPECT_EQ(scale_saturating(-7, 0.5), -3);
  EXPECT_EQ(scale_saturating(largest, 1.0), largest);
  EXPECT_EQ(scale_saturating(smallest, 1.0), smallest);
  EXPECT_EQ(scale_saturating(smallest, -1.0), largest);
  EXPECT_EQ(scale_saturating(1, 1e300), largest);
  EXPECT_EQ(scale_saturating(-1, std::numeric_limits<double>::infinity()), smallest);
  EXPECT_EQ(scale_saturating(0, std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(scale_saturating(5, std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(RandomResources, SumAndDifferenceAreOverTheUnion) {
  for_pairs([](const resources &a, const resources &b) {
    resources sum = a, difference = a;
    sum += b;
    difference -= b;
    EXPECT_EQ(sum.present(), a.present() | b.present());
    EXPECT_EQ(difference.present(), a.present() | b.present());
    for (type_index t = 0; t < 64; ++t) {
      EXPECT_EQ(sum[t], clamp(wide{a[t]} + b[t]));
      EXPECT_EQ(difference[t], clamp(wide{a[t]} - b[t]));
    }
    resources other_way = b;
    other_way += a;
    EXPECT_EQ(sum, other_way);
  });
}

TEST(RandomResources, FitTestsDifferOnlyInWhatAMissingTypeMeans) {
  for_pairs([](const resources &larger, const resources &smaller) {
    bool plain = true, unlimited = true, actual = true;
    for (type_index t = 0; t < 64; ++t) {
      if (!smaller.has(t)) continue;
      plain = plain && smaller[t] <= std::max<int64_t>(0, larger[t]);
      if (!larger.has(t)) continue;
      unlimited = unlimited && smaller[t] <= std::max<int64_t>(0, larger[t]);
      actual = actual && smaller[t] <= larger[t];
    }
    EXPECT_EQ(fit_in(larger, smaller), plain);
    EXPECT_EQ(fit_in_undefined_unlimited(larger, smaller), unlimited);
    EXPECT_EQ(fit_in_actual(larger, smaller), actual);
  });
}

TEST(RandomResources, AnAskThatFitsLeavesNothingNegative) {
  for_pairs([](const resources &larger, const resources &smaller) {
    if (has_negative(larger) || has_negative(smaller)) return;
    resources left = larger;
    left -= smaller;
    EXPECT_EQ(fit_in(larger, smaller), !has_negative(left));
  });
}

TEST(RandomResources, ComparisonsAreConsistent) {
  for_pairs([](const resources &a, const resources &b) {
    const bool both = strictly_greater_or_equal(a, b) && strictly_greater_or_equal(b, a);
    EXPECT_EQ(both, equal_amounts(a, b));
    EXPECT_EQ(strictly_greater(a, b), strictly_greater_or_equal(a, b) && !equal_amounts(a, b));
    EXPECT_FALSE(strictly_greater(a, b) && strictly_greater(b, a));
    EXPECT_EQ(is_zero(a), equal_amounts(a, resources{}));
    EXPECT_EQ(strictly_greater_than_zero(a), strictly_greater(a, resources{}));
    EXPECT_TRUE(equal_amounts(a, b) || !(a == b));
    if (match_any_type(a, b) && strictly_greater_only_existing(a, b)) {
      EXPECT_TRUE(strictly_greater_or_equal_only_existing(a, b));
    }
  });
}

TEST(RandomResources, LimitsCombineTypeByType) {
  for_pairs([](const resources &a, const resources &b) {
    const resources low = component_min(a, b), high = component_max(a, b);
    EXPECT_EQ(low, component_min(b, a));
    EXPECT_EQ(high, component_max(b, a));
    EXPECT_TRUE(fit_in_actual(a, low) && fit_in_actual(b, low)) << "the smaller limit binds";
    EXPECT_TRUE(fit_in_actual(high, a) && fit_in_actual(high, b));
    EXPECT_EQ(component_min_only_existing(a, b).present(), a.present());
    const resources merged = merge_if_not_present(a, b);
    EXPECT_EQ(merged.present(), a.present() | b.present());
    for_each_type(merged, [&](type_index t, int64_t amount) { EXPECT_EQ(amount, a.has(t) ? a[t] : b[t]); });
  });
}

TEST(RandomResources, PruningRemovesZerosAlone) {
  for_pairs([](const resources &a, const resources &) {
    resources pruned = a;
    pruned.prune();
    EXPECT_TRUE(equal_amounts(a, pruned));
    for_each_type(pruned, [](type_index, int64_t amount) { EXPECT_NE(amount, 0); });
  });
}

TEST(UsedPercent, IsExactWhereDoublesAreNot) {
  EXPECT_EQ(used_percent(of({{0, 100}}), of({{0, 29}})), of({{0, 29}}));
  EXPECT_EQ(used_percent(of({{0, largest}}), of({{0, largest - 1}})), of({{0, 99}}));
  EXPECT_EQ(used_percent(of({{0, 1}}), of({{0, largest}})), of({{0, std::numeric_limits<int32_t>::max()}}));
}

TEST(UsedPercent, CountsWithoutCapacityAsFullAndNegativeUseAsNone) {
  EXPECT_EQ(used_percent(of({{0, 0}, {1, -5}, {2, 10}}), of({{0, 1}, {1, 1}, {2, -1}})),
            of({{0, 100}, {1, 100}, {2, 0}}));
}

}  // namespace
}  // namespace tenon
