// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Points by their measures, the best first.
#include "tune/front.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace tenon::cli {
namespace {

using testing::ElementsAre;

TEST(Front, ThoseThatNobodyBeatsComeFirst) {
  const better_way by({true, false});  // waiting, use
  std::vector<size_t> layers;
  const std::vector<measured_point> points{{5, 0.9}, {9, 0.9}, {3, 0.5}, {9, 0.4}, {5, 0.9}};
  EXPECT_THAT(ranked(points, by, &layers), ElementsAre(2, 0, 4, 1, 3));
  EXPECT_THAT(layers, ElementsAre(0, 1, 0, 2, 0));
  EXPECT_TRUE(by.dominates({4, 0.9}, {5, 0.9}));
  EXPECT_FALSE(by.dominates({5, 0.9}, {5, 0.9}));
  EXPECT_FALSE(by.dominates({4, 0.8}, {5, 0.9}));
}

TEST(Front, WhatHasNoFigureIsAsBadAsCanBe) {
  const better_way by({true});
  const double none = std::nan("");
  EXPECT_THAT(ranked({{none}, {1e9}, {none}}, by), ElementsAre(1, 0, 2));
  EXPECT_FALSE(by.dominates({none}, {none}));
}

}  // namespace
}  // namespace tenon::cli
