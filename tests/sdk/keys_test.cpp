// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/sdk/keys.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tenon/sdk/signature.hpp"

namespace tenon::sdk {
namespace {

template <class T>
void expect_ordered(const std::vector<T> &rising) {
  for (size_t i = 1; i < rising.size(); ++i) {
    EXPECT_LT(ascending(rising[i - 1]), ascending(rising[i])) << rising[i - 1] << " " << rising[i];
    EXPECT_GT(descending(rising[i - 1]), descending(rising[i])) << rising[i - 1] << " " << rising[i];
  }
}

TEST(Keys, NumbersOrderAsTheyDo) {
  expect_ordered<uint64_t>({0, 1, uint64_t{1} << 63, UINT64_MAX});
  expect_ordered<int64_t>({INT64_MIN, INT32_MIN, -1, 0, 1, INT32_MAX, INT64_MAX});
  const double infinity = std::numeric_limits<double>::infinity();
  expect_ordered<double>({-infinity, -1e300, -1.0, -5e-324, 0.0, 5e-324, 0.1, 0.2, 1.0, 1e300, infinity});
}

TEST(Keys, ZeroHasOneKey) {
  EXPECT_EQ(ascending(-0.0), ascending(0.0));
  EXPECT_EQ(descending(-0.0), descending(0.0));
}

TEST(Keys, NotANumberIsLastInBothDirections) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_GT(ascending(nan), ascending(infinity));
  EXPECT_GT(descending(nan), descending(-infinity));
}

TEST(Signature, SequencesOfTextsAreToldApart) {
  const auto sign = [](std::initializer_list<std::string_view> texts) {
    signature_builder s;
    for (const auto text : texts) s.add(text);
    return s.words();
  };
  EXPECT_EQ(sign({"a", "b"}), sign({"a", "b"}));
  const std::vector<std::array<uint64_t, 2>> all{
      sign({}),         sign({""}),           sign({"", ""}),
      sign({"a"}),      sign({"a", "b"}),     sign({"ab"}),
      sign({"b", "a"}), sign({"a", "", "b"}), sign({std::string_view("\0", 1)})};
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(all[i][0], all[j][0]) << i << " " << j;
      EXPECT_NE(all[i][1], all[j][1]) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace tenon::sdk
