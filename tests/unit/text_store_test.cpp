// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/text_store.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/few.hpp"

namespace tenon::internal {
namespace {

TEST(TextStore, KeepsEachTextAsItCame) {
  std::mt19937 random(7);
  text_store store;
  std::vector<std::pair<std::string, stored_text>> kept;
  for (int i = 0; i < 50'000; ++i) {
    if (kept.empty() || random() % 3 != 0) {
      const std::string text(random() % (random() % 100 == 0 ? 2'000 : 60), static_cast<char>('a' + random() % 26));
      kept.emplace_back(text, store.keep(text));
    } else {
      const size_t at = random() % kept.size();
      ASSERT_EQ(kept[at].second.view(), kept[at].first);
      store.drop(kept[at].second);
      EXPECT_EQ(kept[at].second.size(), 0U);
      kept[at] = std::move(kept.back());
      kept.pop_back();
    }
  }
  for (const auto &[text, stored] : kept) ASSERT_EQ(stored.view(), text);
}

TEST(TextStore, GivesTheRoomOfADroppedTextToTheNextOfItsLength) {
  text_store store;
  stored_text first = store.keep("0123456789");
  const char *room = first.view().data();
  store.drop(first);
  EXPECT_EQ(store.keep("abcdefghi").view().data(), room);
}

TEST(TextStore, AnEmptyTextTakesNoRoom) {
  text_store store;
  stored_text none = store.keep("");
  EXPECT_EQ(none.view(), "");
  store.drop(none);
  EXPECT_EQ(none.view(), "");
}

std::vector<int> of(const few<int> &some) {
  std::vector<int> out;
  for (const int *one : some) out.push_back(*one);
  return out;
}

TEST(Few, HasThemInTheOrderInWhichTheyCame) {
  int a = 1, b = 2, c = 3;
  few<int> some;
  EXPECT_TRUE(some.empty());
  some.push_back(&a);
  EXPECT_EQ(of(some), (std::vector{1}));
  some.push_back(&b);
  some.push_back(&c);
  EXPECT_EQ(of(some), (std::vector{1, 2, 3}));
  EXPECT_EQ(some.size(), 3U);
  some.erase(&b);
  EXPECT_EQ(of(some), (std::vector{1, 3}));
  some.erase(&a);
  EXPECT_EQ(of(some), (std::vector{3}));
  some.push_back(&b);
  EXPECT_EQ(of(some), (std::vector{3, 2}));
  some.erase(&b);
  some.erase(&c);
  EXPECT_TRUE(some.empty());
}

}  // namespace
}  // namespace tenon::internal
