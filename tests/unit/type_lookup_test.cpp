// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Types that a command brings are found by their index while the command is checked, and nothing is interned.
#include "model/type_lookup.hpp"

#include <gtest/gtest.h>

namespace tenon::internal {
namespace {

TEST(TypeLookup, WhatIsBroughtHasTheIndexThatItIsGoingToHave) {
  resource_types known(4);
  known.intern("memory");
  type_lookup by_name(known);
  EXPECT_EQ(by_name.bring("gpu"), 1U);
  EXPECT_EQ(by_name.bring("memory"), 0U);
  EXPECT_EQ(by_name.bring("fpga"), 2U);
  EXPECT_EQ(by_name.bring("gpu"), 1U);
  EXPECT_EQ(known.count(), 1U);
  ASSERT_EQ(by_name.fresh().size(), 2U);
  EXPECT_EQ(known.intern(by_name.fresh()[0]), 1U);
  EXPECT_EQ(known.intern(by_name.fresh()[1]), 2U);
}

TEST(TypeLookup, BringsNothingBeyondTheLimit) {
  resource_types known(2);
  known.intern("memory");
  type_lookup by_name(known);
  EXPECT_EQ(by_name.bring("gpu"), 1U);
  EXPECT_EQ(by_name.bring("fpga"), no_type);
  EXPECT_EQ(by_name.find("fpga"), no_type);
  by_name.keep_fresh(0);
  EXPECT_EQ(by_name.find("gpu"), no_type);
}

}  // namespace
}  // namespace tenon::internal
