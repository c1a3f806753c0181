// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The state of a running scheduler is saved for those who may reload everything, and is in the record.
#include <gmock/gmock.h>

#include "rest_case.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::rest::testing {
namespace {

using ::testing::HasSubstr;

class Saving : public rest_case {
 protected:
  observe::saved_outcome save(const std::string &user, uint64_t most_bytes = UINT64_MAX) {
    return people_->all().admin().save({user, {}, "test", false}, std::chrono::minutes(2), most_bytes);
  }
};

TEST_F(Saving, IsForThoseWhoAdministerEverything) {
  open();
  small_cluster();
  const observe::saved_outcome no = save("olga");
  EXPECT_EQ(no.status, TENON_DECLINED);
  EXPECT_EQ(no.journal, "");
  const observe::saved_outcome made = save("rita");
  ASSERT_EQ(made.status, TENON_OK) << made.why.text();
  size_t applications = 0, commands = 0;
  const auto begin = [&](int64_t now_ms, const saved_state &s) -> std::optional<refusal> {
    EXPECT_EQ(now_ms, made.time_ms);
    EXPECT_EQ(s.partitions.size(), 1U);
    applications = s.partitions.at(0).applications.size();
    return std::nullopt;
  };
  ASSERT_TRUE(read_journal(made.journal, begin, [&](int64_t, const command &) { ++commands; }));
  EXPECT_EQ(applications, 3U);  // one was refused, and is remembered
  EXPECT_EQ(commands, 0U);
  const auto told = audited();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[0], HasSubstr("olga (test): save the state  of , "));
  EXPECT_THAT(told[0], HasSubstr("do not name olga: refused"));
  EXPECT_EQ(told[1], "rita (test): save the state  of , " + std::to_string(made.journal.size()) + " bytes: done");
}

TEST_F(Saving, IsRefusedWhereThereIsTooMuch) {
  most_copied_ = 8;  // 2 nodes, 2 applications, 4 asks and 3 allocations are more
  open();
  small_cluster();
  const observe::saved_outcome no = save("rita");
  EXPECT_EQ(no.status, TENON_UNSCHEDULABLE);
  EXPECT_THAT(no.why.text(), HasSubstr("at most 8 asks, allocations, applications and nodes"));
  EXPECT_THAT(audited().back(), HasSubstr("at most 8 asks"));
}

TEST_F(Saving, IsRefusedWhereItHasTooManyBytes) {
  open();
  small_cluster();
  const observe::saved_outcome whole = save("rita");
  ASSERT_EQ(whole.status, TENON_OK) << whole.why.text();
  const observe::saved_outcome no = save("rita", 100);
  EXPECT_EQ(no.status, TENON_UNSCHEDULABLE);
  EXPECT_EQ(no.journal, "");
  EXPECT_THAT(no.why.text(), HasSubstr("a state of at most 100 bytes"));
  EXPECT_THAT(audited().back(), HasSubstr(": refused"));
}

}  // namespace
}  // namespace tenon::rest::testing
