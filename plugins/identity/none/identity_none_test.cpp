// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tenon/testing/builtin.hpp"
#include "tenon/testing/resolved_groups.hpp"

namespace tenon::testing {
namespace {

using ::testing::ElementsAre;

TEST(NoIdentity, UserIsItsOnlyGroup) {
  const auto answer = resolve(*bound(module_kind::identity, "none"), "alice");
  EXPECT_EQ(answer.status, TENON_OK);
  EXPECT_THAT(answer.groups, ElementsAre("alice"));
}

TEST(NoIdentity, TooLittleRoomSaysHowMuchItWants) {
  const auto source = bound(module_kind::identity, "none");
  for (const auto &[groups, bytes] : {std::pair{0U, size_t{100}}, {1U, size_t{4}}}) {
    const auto answer = resolve(*source, "alice", groups, bytes);
    EXPECT_EQ(answer.status, TENON_EXHAUSTED);
    EXPECT_EQ(answer.wanted_groups, 1U);
    EXPECT_EQ(answer.wanted_bytes, 5U);
  }
  EXPECT_EQ(resolve(*source, "alice", 1, 5).status, TENON_OK);
}

}  // namespace
}  // namespace tenon::testing
