// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/sequence_list.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

#include "base/few.hpp"
#include "base/priority_counts.hpp"

namespace tenon::internal {
namespace {

struct numbered {
  uint64_t sequence;
};

template <class List>
std::vector<uint64_t> numbers_of(const List &list) {
  std::vector<uint64_t> out;
  for (const numbered *one : list) out.push_back(one->sequence);
  return out;
}

TEST(SequenceList, HasTheSameItemsAsAMapAfterRandomChanges) {
  constexpr uint64_t most = 400;
  std::deque<numbered> all;
  for (uint64_t i = 0; i < most; ++i) all.push_back({i});
  std::mt19937_64 random(20261129);
  sequence_list<numbered> list;
  std::map<uint64_t, numbered *> expected;
  for (int step = 0; step < 20'000; ++step) {
    numbered &one = all[random() % most];
    if (expected.erase(one.sequence) != 0) {
      list.erase(&one);
    } else {
      list.insert(&one);
      expected[one.sequence] = &one;
    }
    if (step % 2'000 < 400) continue;  // the list is read at every step of most stretches, and grows in the others
    ASSERT_EQ(list.size(), expected.size());
    ASSERT_EQ(list.empty(), expected.empty());
    std::vector<uint64_t> numbers;
    for (const auto &[number, item] : expected) numbers.push_back(number);
    ASSERT_EQ(numbers_of(list), numbers);
    const uint64_t number = random() % most;
    ASSERT_EQ(list.find(number), expected.contains(number) ? expected[number] : nullptr);
  }
}

TEST(SequenceList, ItemsLeaveItFromTheFront) {
  std::deque<numbered> all;
  for (uint64_t i = 0; i < 100; ++i) all.push_back({i});
  sequence_list<numbered> list;
  for (numbered &one : all) list.insert(&one);
  for (numbered &one : all) {
    ASSERT_EQ(*list.begin(), &one);
    list.erase(&one);
  }
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(list.begin() == list.end());
}

TEST(Few, HasItsItemsInTheOrderOfTheirNumbers) {
  numbered a{1}, b{2}, c{3};
  few<numbered> some;
  using numbers = std::vector<uint64_t>;
  EXPECT_TRUE(some.empty());
  some.insert(&a);
  EXPECT_EQ(numbers_of(some), numbers{1});
  EXPECT_EQ(some.find(1), &a);
  EXPECT_EQ(some.find(2), nullptr);
  some.insert(&b);
  some.insert(&c);
  EXPECT_EQ(numbers_of(some), (numbers{1, 2, 3}));
  EXPECT_EQ(some.size(), 3U);
  some.erase(&b);
  EXPECT_EQ(numbers_of(some), (numbers{1, 3}));
  EXPECT_EQ(some.find(2), nullptr);
  some.erase(&a);
  EXPECT_EQ(numbers_of(some), numbers{3});
  some.insert(&b);
  EXPECT_EQ(numbers_of(some), (numbers{2, 3}));
  some.erase(&b);
  some.erase(&c);
  EXPECT_TRUE(some.empty());
}

TEST(PriorityCounts, KnowsTheHighestPriority) {
  priority_counts counts;
  EXPECT_TRUE(counts.empty());
  EXPECT_EQ(counts.highest(), INT32_MIN);
  counts.add(5);
  counts.add(-3);
  counts.add(5);
  EXPECT_EQ(counts.highest(), 5);
  counts.remove(5);
  EXPECT_EQ(counts.highest(), 5);
  counts.remove(5);
  EXPECT_EQ(counts.highest(), -3);
  counts.remove(-3);
  EXPECT_TRUE(counts.empty());
}

}  // namespace
}  // namespace tenon::internal
