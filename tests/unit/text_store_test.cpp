// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/text_store.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace tenon::internal
