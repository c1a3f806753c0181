// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/coarse_search.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace tenon::internal {
namespace {

TEST(CoarseAmount, OfTwoTheLargerIsNeverTheSmaller) {
  std::mt19937_64 random(1);
  const auto draw = [&] { return static_cast<int64_t>(random() >> (random() % 64)); };
  for (int i = 0; i < 500'000; ++i) {
    int64_t less = draw();
    int64_t more = i % 2 == 0 ? draw() : less + static_cast<int64_t>(random() % 3);
    if (more < less) std::swap(less, more);
    ASSERT_LE(coarse_of(less), coarse_of(more)) << less << ' ' << more;
    ASSERT_GE(most_of(coarse_of(more)), more);
  }
  EXPECT_EQ(coarse_of(0), coarse_nothing);
  EXPECT_EQ(coarse_of(INT64_MIN), coarse_nothing);
  EXPECT_EQ(most_of(coarse_of(INT64_MAX)), INT64_MAX);
}

TEST(CoarseAmount, AThousandthOfItselfIsSeen) {
  for (int64_t amount = 2'000; amount < int64_t{1} << 60; amount *= 3) {
    EXPECT_LT(coarse_of(amount), coarse_of(amount + amount / 500)) << amount;
  }
}

TEST(CoarseSearch, FindsWhatALookAtEachFinds) {
  std::mt19937_64 random(1);
  const auto draw = [&] { return static_cast<coarse_amount>(static_cast<int>(random() % 50) - 25); };
  for (int i = 0; i < 3'000; ++i) {
    std::vector<coarse_amount> a(144), b(144);
    for (coarse_amount &one : a) one = draw();
    for (coarse_amount &one : b) one = draw();
    const size_t from = random() % 100, to = from + random() % (129 - from);
    const coarse_amount of_a = draw(), of_b = draw();
    coarse_search search;
    search.want(a.data(), of_a);
    search.want(b.data(), of_b);
    std::vector<size_t> found, expected;
    EXPECT_FALSE(search.find(from, to, [&](size_t row) { return found.push_back(row), false; }));
    coarse_amount largest = coarse_nothing;
    for (size_t row = from; row < to; ++row) {
      if (a[row] >= of_a && b[row] >= of_b) expected.push_back(row);
      largest = std::max(largest, a[row]);
    }
    ASSERT_EQ(found, expected);
    ASSERT_EQ(largest_of(a.data(), from, to), largest);
    if (expected.empty()) continue;
    size_t first = 0;
    EXPECT_TRUE(search.find(from, to, [&](size_t row) { return first = row, true; }));
    EXPECT_EQ(first, expected.front());
  }
}

}  // namespace
}  // namespace tenon::internal
