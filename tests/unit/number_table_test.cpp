// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/number_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tenon::internal {
namespace {

// So few hashes that most numbers share theirs with others, and all stand in a row.
struct crowded {
  static uint32_t of(uint32_t number) { return number % 1'000; }
};
// As good ones are.
struct spread {
  static uint32_t of(uint32_t number) { return number * 0x9e3779b9U; }
};
// All begin to be looked for at the end of the table, and are found at its beginning.
struct last {
  static uint32_t of(uint32_t number) { return ~uint32_t{0} - number % 3; }
};

template <class Hash>
uint32_t found(const number_table &table, uint32_t number) {
  return table.find(Hash::of(number), [&](uint32_t one) { return one == number; });
}

template <class Hash>
void compare_with_a_set(uint32_t numbers, int turns) {
  for (const uint32_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    number_table table;
    std::set<uint32_t> plain;
    for (int i = 0; i < turns; ++i) {
      const uint32_t number = static_cast<uint32_t>(random()) % numbers;
      ASSERT_EQ(found<Hash>(table, number) == number, plain.contains(number)) << number;
      if (!plain.contains(number)) {
        table.insert(Hash::of(number), number);
        plain.insert(number);
      } else if (random() % 4 == 0) {
        table.erase(Hash::of(number), number);
        plain.erase(number);
      }
      ASSERT_EQ(table.size(), plain.size());
      if (i % (turns / 10) != 0) continue;
      ASSERT_EQ(std::multiset<uint32_t>(table.begin(), table.end()),
                std::multiset<uint32_t>(plain.begin(), plain.end()));
    }
    for (const uint32_t number : plain) {
      ASSERT_EQ(found<Hash>(table, number), number);
      table.erase(Hash::of(number), number);
    }
    EXPECT_TRUE(table.empty());
    EXPECT_EQ(table.begin(), table.end());
  }
}

TEST(NumberTable, IsASetWhateverHappensWhileItGrows) { compare_with_a_set<spread>(20'000, 40'000); }
TEST(NumberTable, KeepsThoseThatShareAHash) { compare_with_a_set<crowded>(3'000, 5'000); }
TEST(NumberTable, GoesOnAtItsBeginningWhereItEnds) { compare_with_a_set<last>(40, 2'000); }

TEST(NumberTable, HasNothingAtFirst) {
  const number_table table;
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(found<spread>(table, 0), number_table::none);
  EXPECT_EQ(table.begin(), table.end());
}

TEST(NumberTable, AsksOnlyForNumbersOfTheHash) {
  number_table table;
  for (uint32_t number = 0; number < 100'000; ++number) table.insert(spread::of(number), number);
  size_t asked = 0;
  EXPECT_EQ(table.find(spread::of(77),
                       [&](uint32_t number) {
                         ++asked;
                         return number == 77;
                       }),
            77U);
  EXPECT_EQ(asked, 1U);
}

}  // namespace
}  // namespace tenon::internal
