// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/sdk/share.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

extern "C" {
double share_from_c_dominant(tenon_amounts allocated, tenon_amounts guaranteed, tenon_amounts fair_max);
void share_from_c_keys(tenon_amounts used, tenon_amounts total, uint64_t *keys, uint32_t words);
double share_from_c_usage(tenon_amounts free, tenon_amounts total, const double *weights, uint32_t weight_count);
}

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(DoubleKey, OrdersAsTheDoublesDo) {
  const double ascending[] = {-infinite, -1e300, -1.5, -1.0, -5e-324, 0.0, 5e-324, 0.1, 1.0, 1.5, 1e300, infinite};
  for (const double a : ascending) {
    for (const double b : ascending) {
      EXPECT_EQ(tenon_double_key(a) < tenon_double_key(b), a < b) << a << " " << b;
      EXPECT_EQ(tenon_double_key(a) == tenon_double_key(b), a == b) << a << " " << b;
    }
  }
}

TEST(DoubleKey, BothZerosAreOneAndNoNumberComesLast) {
  EXPECT_EQ(tenon_double_key(-0.0), tenon_double_key(0.0));
  EXPECT_EQ(tenon_double_key(std::nan("")), tenon_double_key(-std::nan("1")));
  EXPECT_GT(tenon_double_key(std::nan("")), tenon_double_key(infinite));
}

TEST(DoubleKey, OrdersRandomBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto a = std::bit_cast<double>(random()), b = std::bit_cast<double>(random());
    if (std::isnan(a) || std::isnan(b)) continue;
    ASSERT_EQ(tenon_double_key(a) < tenon_double_key(b), a < b) << a << " " << b;
  }
}

// A batch's columns: three items of four types, stored type by type.
struct column_fixture {
  std::array<int64_t, 12> values{/*type 0*/ 1, 2,   3,   /*1*/ 10, 20, 30,
                                 /*2*/ 100,    200, 300, /*3*/ -1, -2, -3};
  std::array<uint64_t, 6> masks{0b1111, 0, 0b0101, 0, 0b1000, 0};
  tenon_column column{sizeof(tenon_column), TENON_COLUMN_RESOURCES, values.data(), masks.data(), 8, 24, 16};
};

TEST(ColumnAmounts, FollowTheStridesAndTheMask) {
  const column_fixture f;
  const tenon_amounts second = tenon_column_amounts(&f.column, 1, 4);
  EXPECT_EQ(tenon_amounts_get(second, 0), 2);
  EXPECT_FALSE(tenon_amounts_has(second, 1));
  EXPECT_EQ(tenon_amounts_get(second, 1), 0) << "undefined reads as 0, whatever is stored";
  EXPECT_EQ(tenon_amounts_get(second, 2), 200);
  EXPECT_EQ(tenon_amounts_get(second, 64), 0);
  EXPECT_EQ(tenon_amounts_get(tenon_column_amounts(&f.column, 2, 4), 3), -3);
  EXPECT_FALSE(tenon_amounts_has(tenon_column_amounts(&f.column, 2, 3), 3)) << "a type beyond type_count";
}

TEST(ColumnAmounts, WithoutMaskEveryTypeIsDefined) {
  column_fixture f;
  f.column.present = nullptr;
  EXPECT_EQ(tenon_column_amounts(&f.column, 0, 4).present, 0b1111U);
  EXPECT_EQ(tenon_column_amounts(&f.column, 0, 64).present, UINT64_MAX);
  EXPECT_EQ(tenon_column_amounts(&f.column, 0, 0).present, 0U);
}

TEST(ColumnAmounts, AStrideOfZeroServesEveryItem) {
  column_fixture f;
  f.column.item_stride = 0;
  f.column.present_stride = 0;
  EXPECT_EQ(tenon_amounts_get(tenon_column_amounts(&f.column, 2, 4), 1), 10);
}

struct random_amounts {
  std::array<int64_t, 64> values{};
  uint64_t present = 0;

  explicit random_amounts(std::mt19937_64 &random) : present(random() & random()) {
    for (int64_t &value : values) {
      value = random() % 3 == 0 ? static_cast<int64_t>(random()) : static_cast<int64_t>(random() % 20) - 5;
    }
  }
  [[nodiscard]] tenon_amounts view() const { return {values.data(), sizeof(int64_t), present}; }
};

TEST(Shares, AreWrittenLargestFirst) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10'000; ++i) {
    const random_amounts used(random), total(random);
    std::array<double, 64> out{};
    const uint32_t count = tenon_shares_descending(used.view(), total.view(), out.data());
    ASSERT_EQ(count, static_cast<uint32_t>(std::popcount(used.present)));
    ASSERT_TRUE(std::is_sorted(out.begin(), out.begin() + count, std::greater<>()));
  }
}

TEST(Shares, KeysOrderAsTheSharesDo) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 10'000; ++i) {
    const random_amounts left(random), right(random), total(random);
    std::array<double, 64> l{}, r{};
    const uint32_t l_count = tenon_shares_descending(left.view(), total.view(), l.data());
    const uint32_t r_count = tenon_shares_descending(right.view(), total.view(), r.data());
    const int by_shares = tenon_shares_compare(l.data(), l_count, r.data(), r_count);
    std::array<uint64_t, 64> l_keys{}, r_keys{};
    tenon_shares_keys(left.view(), total.view(), l_keys.data(), 64);
    tenon_shares_keys(right.view(), total.view(), r_keys.data(), 64);
    ASSERT_EQ(by_shares < 0, l_keys < r_keys) << i;
    ASSERT_EQ(by_shares > 0, l_keys > r_keys) << i;
    ASSERT_EQ(by_shares, -tenon_shares_compare(r.data(), r_count, l.data(), l_count));
  }
}

TEST(Shares, FewerKeyWordsKeepTheLargestShares) {
  std::mt19937_64 random(4);
  const random_amounts used(random), total(random);
  std::array<uint64_t, 64> all{};
  std::array<uint64_t, 4> few{};
  tenon_shares_keys(used.view(), total.view(), all.data(), 64);
  tenon_shares_keys(used.view(), total.view(), few.data(), 3);
  EXPECT_TRUE(std::equal(few.begin(), few.begin() + 3, all.begin()));
  EXPECT_EQ(few[3], 0U) << "nothing is written beyond the words";
}

TEST(Shares, CAndCxxAgreeToTheBit) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 10'000; ++i) {
    const random_amounts a(random), b(random), c(random);
    ASSERT_EQ(std::bit_cast<uint64_t>(tenon_dominant_share(a.view(), b.view(), c.view())),
              std::bit_cast<uint64_t>(share_from_c_dominant(a.view(), b.view(), c.view())));
    std::array<uint64_t, 64> cxx_keys{}, c_keys{};
    tenon_shares_keys(a.view(), b.view(), cxx_keys.data(), 64);
    share_from_c_keys(a.view(), b.view(), c_keys.data(), 64);
    ASSERT_EQ(cxx_keys, c_keys);
    std::array<double, 64> weights{};
    for (double &weight : weights) weight = static_cast<double>(random() % 5) / 3;
    ASSERT_EQ(std::bit_cast<uint64_t>(tenon_node_usage(a.view(), b.view(), weights.data(), 64)),
              std::bit_cast<uint64_t>(share_from_c_usage(a.view(), b.view(), weights.data(), 64)));
  }
}

TEST(NodeUsage, AnOvercommittedNodeIsAboveOne) {
  const int64_t free = -5, total = 10;
  const double weight = 1;
  EXPECT_DOUBLE_EQ(tenon_node_usage({&free, 8, 1}, {&total, 8, 1}, &weight, 1), 1.5);
}

}  // namespace
