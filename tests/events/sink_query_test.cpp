// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What every sink that answers queries does alike: filters, limits and where the next query goes on.
#include <gmock/gmock.h>

#include <filesystem>

#include "sink_case.hpp"

namespace tenon::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SinkQuery : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "tenon-sink-query-" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    if (GetParam() == "tenon.sqlite" && !TENON_HAS_SQLITE) GTEST_SKIP() << "built without SQLite";
    const std::string configuration =
        GetParam() == "tenon.sqlite" ? "{ path: " + folder_ + "/events.db, retention: '0' }" : "{}";
    sink_ = std::make_unique<sink_case>(GetParam(), configuration);
    std::vector<test_record> records;
    for (uint64_t id = 1; id <= 6; ++id) {
      test_record r;
      r.id = id;
      r.timestamp_ns = static_cast<int64_t>(id) * 1'000;
      r.type = id % 2 == 0 ? TENON_EVENT_NODE : TENON_EVENT_APP;
      r.object = "o" + std::to_string(id);
      r.application = id <= 3 ? "app-1" : "app-2";
      r.queue = "root.q" + std::to_string(id % 3);
      r.node = id % 2 == 0 ? "n" + std::to_string(id) : "";
      records.push_back(r);
    }
    ASSERT_EQ(sink_->emit(records), TENON_OK) << sink_->error();
  }
  void TearDown() override {
    sink_.reset();
    std::filesystem::remove_all(folder_);
  }
  std::vector<uint64_t> ids(const tenon_event_query_in &wanted) {
    const query_answer answer = sink_->query(wanted);
    EXPECT_EQ(answer.status, TENON_OK) << answer.error;
    return answer.ids();
  }

  std::string folder_;
  std::unique_ptr<sink_case> sink_;
};

TEST_P(SinkQuery, NoConditionGivesAllInOrder) { EXPECT_THAT(ids(everything()), ElementsAre(1, 2, 3, 4, 5, 6)); }

TEST_P(SinkQuery, EachTextIsACondition) {
  const std::string app = "app-1", queue = "root.q1", node = "n4", object = "o5", other = "[rm]other", run = "run-1";
  auto wanted = everything();
  wanted.application = as_text(app);
  EXPECT_THAT(ids(wanted), ElementsAre(1, 2, 3));
  wanted.queue = as_text(queue);
  EXPECT_THAT(ids(wanted), ElementsAre(1));
  wanted = everything();
  wanted.node = as_text(node);
  EXPECT_THAT(ids(wanted), ElementsAre(4));
  wanted = everything();
  wanted.object = as_text(object);
  wanted.run = as_text(run);
  EXPECT_THAT(ids(wanted), ElementsAre(5));
  wanted.partition = as_text(other);
  EXPECT_THAT(ids(wanted), IsEmpty());
}

TEST_P(SinkQuery, TimesAreFromAndBeforeIdsAreFromAndTo) {
  auto wanted = everything();
  wanted.since_ns = 2'000;
  wanted.until_ns = 5'000;
  EXPECT_THAT(ids(wanted), ElementsAre(2, 3, 4));
  wanted.first_id = 3;
  wanted.last_id = 5;
  EXPECT_THAT(ids(wanted), ElementsAre(3, 4));
}

TEST_P(SinkQuery, TypesAreASet) {
  auto wanted = everything();
  wanted.types = 1U << TENON_EVENT_NODE;
  EXPECT_THAT(ids(wanted), ElementsAre(2, 4, 6));
  wanted.types |= 1U << TENON_EVENT_APP;
  EXPECT_THAT(ids(wanted), ElementsAre(1, 2, 3, 4, 5, 6));
  wanted.types = 1U << TENON_EVENT_QUEUE;
  EXPECT_THAT(ids(wanted), IsEmpty());
}

TEST_P(SinkQuery, PagesAreEverythingOnce) {
  auto wanted = everything();
  wanted.limit = 2;
  wanted.types = 1U << TENON_EVENT_NODE;
  std::vector<uint64_t> all;
  for (;;) {
    const query_answer page = sink_->query(wanted);
    ASSERT_EQ(page.status, TENON_OK);
    EXPECT_LE(page.records.size(), 2U);
    for (const test_record &r : page.records) all.push_back(r.id);
    if (page.next == 0) break;
    wanted.after = page.next;
  }
  EXPECT_THAT(all, ElementsAre(2, 4, 6));
}

TEST_P(SinkQuery, RecordComesBackWhole) {
  test_record r{7,
                9,
                TENON_EVENT_REQUEST,
                TENON_EVENT_ADD,
                201,
                8'000,
                "run-1",
                "[rm]default",
                "o\n\"7",
                "root.\xC3\xA4",
                "g",
                "Reason",
                "m\t1",
                "app\\3",
                "root.q",
                "n7"};
  r.resource = {{"memory", INT64_MAX}, {"vcore", -1}};
  ASSERT_EQ(sink_->emit({r}), TENON_OK) << sink_->error();
  auto wanted = everything();
  wanted.object = as_text(r.object);
  const query_answer answer = sink_->query(wanted);
  ASSERT_EQ(answer.records.size(), 1U);
  const test_record &back = answer.records[0];
  EXPECT_EQ(back.id, 7U);
  EXPECT_EQ(back.last_id, 9U);
  EXPECT_EQ(back.type, TENON_EVENT_REQUEST);
  EXPECT_EQ(back.change, TENON_EVENT_ADD);
  EXPECT_EQ(back.detail, 201U);
  EXPECT_EQ(back.timestamp_ns, 8'000);
  EXPECT_EQ(back.run, r.run);
  EXPECT_EQ(back.partition, r.partition);
  EXPECT_EQ(back.reference, r.reference);
  EXPECT_EQ(back.group, r.group);
  EXPECT_EQ(back.reason, r.reason);
  EXPECT_EQ(back.message, r.message);
  EXPECT_EQ(back.application, r.application);
  EXPECT_EQ(back.queue, r.queue);
  EXPECT_EQ(back.node, r.node);
  EXPECT_EQ(back.resource, r.resource);
}

INSTANTIATE_TEST_SUITE_P(All, SinkQuery, ::testing::Values("tenon.ring", "tenon.sqlite"),
                         [](const auto &param) { return param.param.substr(param.param.find('.') + 1); });

TEST(Ring, FullDropsTheOldest) {
  sink_case ring("tenon.ring", "{ capacity: 2 }");
  for (uint64_t id = 1; id <= 5; ++id) {
    test_record r;
    r.id = id;
    ASSERT_EQ(ring.emit({r}), TENON_OK);
  }
  EXPECT_THAT(ring.query(everything()).ids(), ElementsAre(4, 5));
}

}  // namespace
}  // namespace tenon::testing
