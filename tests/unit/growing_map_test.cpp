// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/growing_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace tenon {
namespace {

// Says how often texts were hashed.
struct counting_hash {
  static inline uint64_t calls = 0;
  size_t operator()(uint64_t key) const {
    ++calls;
    return boost::hash<uint64_t>{}(key);
  }
};

TEST(GrowingMap, IsAMapWhateverHappensWhileItGrows) {
  for (const uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    growing_map<uint64_t, uint64_t> map;
    std::map<uint64_t, uint64_t> plain;
    for (uint64_t i = 0; i < 120'000; ++i) {
      const uint64_t key = random() % 60'000;
      switch (random() % 8) {
        case 0:
          ASSERT_EQ(map.erase(key), plain.erase(key));
          break;
        case 1:
          map.insert_or_assign(key, i);
          plain.insert_or_assign(key, i);
          break;
        case 2: {
          const auto found = map.find(key);
          ASSERT_EQ(found != map.end(), plain.contains(key));
          if (found != map.end()) {
            ASSERT_EQ(found->second, plain.at(key));
          }
          break;
        }
        default:
          ASSERT_EQ(map.emplace(key, i), plain.emplace(key, i).second);
      }
      ASSERT_EQ(map.size(), plain.size());
      if (i % 9'973 != 0) continue;
      ASSERT_EQ((std::map<uint64_t, uint64_t>(map.begin(), map.end())), plain);
    }
    for (const auto &[key, value] : plain) ASSERT_EQ(map.erase(key), 1U) << key;
    EXPECT_TRUE(map.empty());
    EXPECT_EQ(map.begin(), map.end());
  }
}

TEST(GrowingMap, NoInsertionHashesManyOfTheOthersAgain) {
  growing_map<uint64_t, int, counting_hash> map;
  uint64_t most = 0;
  for (uint64_t key = 0; key < 300'000; ++key) {
    const uint64_t before = counting_hash::calls;
    map.emplace(key, 0);
    if (key > 10'000) most = std::max(most, counting_hash::calls - before);
  }
  EXPECT_LT(most, 20U);
}

}  // namespace
}  // namespace tenon
