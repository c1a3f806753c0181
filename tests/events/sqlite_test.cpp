// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.sqlite in trouble: full, locked, damaged, of another version; and what it forgets.
#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "sink_case.hpp"
#include "tenon/events/event_hub.hpp"

// Seconds by which this process is ahead of the world.
static std::atomic<int64_t> ahead{0};

// In place of the C library's, for the modules of this process too.
extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t which, timespec *now) noexcept {
  const auto status = static_cast<int>(::syscall(SYS_clock_gettime, which, now));
  if (status == 0 && (which == CLOCK_REALTIME || which == CLOCK_MONOTONIC)) now->tv_sec += ahead.load();
  return status;
}

namespace tenon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t hour_ns = 3'600'000'000'000;

void clock_moved_by(int64_t seconds) { ahead = seconds; }
int64_t now_ns() { return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); }

class Sqlite : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "tenon-sqlite-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    file_ = folder_ / "events.db";
  }
  void TearDown() override {
    clock_moved_by(0);
    std::filesystem::remove_all(folder_);
  }

  std::string configuration(const std::string &more = "") const {
    return "{ path: " + file_.string() + ", busy_ms: 10" + more + " }";
  }
  static std::vector<test_record> records(uint64_t first, uint64_t count, size_t message = 10) {
    std::vector<test_record> out;
    for (uint64_t id = first; id < first + count; ++id) {
      test_record r;
      r.id = id;
      r.timestamp_ns = now_ns() + static_cast<int64_t>(id);
      r.object = "o" + std::to_string(id);
      r.message.assign(message, 'x');
      out.push_back(std::move(r));
    }
    return out;
  }
  // Runs SQL on the file as another program would.
  std::string sql(const std::string &text) const {
    sqlite3 *db = nullptr;
    EXPECT_EQ(sqlite3_open(file_.c_str(), &db), SQLITE_OK);
    std::string first;
    const auto note = [](void *to, int count, char **values, char **) {
      if (count > 0 && static_cast<std::string *>(to)->empty() && values[0] != nullptr)
        *static_cast<std::string *>(to) = values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(db, text.c_str(), note, &first, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
    return first;
  }

  std::filesystem::path folder_, file_;
};

TEST_F(Sqlite, RecordsOutliveTheInstanceAndComeOnceEach) {
  sink_case sink("tenon.sqlite", configuration());
  ASSERT_EQ(sink.emit(records(1, 3)), TENON_OK) << sink.error();
  sink.restart();
  ASSERT_EQ(sink.emit(records(2, 3)), TENON_OK) << sink.error();  // two of them again
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(1, 2, 3, 4));
}

TEST_F(Sqlite, LockedFileIsForLater) {
  sink_case sink("tenon.sqlite", configuration());
  ASSERT_EQ(sink.emit(records(1, 1)), TENON_OK);
  sqlite3 *other = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_EQ(sink.emit(records(2, 1)), TENON_RETRY);
  EXPECT_THAT(sink.error(), HasSubstr("locked"));
  ASSERT_EQ(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(other);
  EXPECT_EQ(sink.emit(records(2, 1)), TENON_OK) << sink.error();
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(1, 2));
}

TEST_F(Sqlite, FullDiskIsForLater) {
  sink_case sink("tenon.sqlite", configuration());
  ASSERT_EQ(sink.emit(records(1, 1)), TENON_OK);
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{256 * 1024, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  uint64_t next = 2;
  tenon_status status = TENON_OK;
  for (; status == TENON_OK && next < 10'000; next += 10) status = sink.emit(records(next, 10, 1'000));
  const std::string message = sink.error();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_EQ(status, TENON_RETRY);
  EXPECT_THAT(message, HasSubstr(file_.string()));
  next -= 10;
  EXPECT_EQ(sink.emit(records(next, 10, 1'000)), TENON_OK) << sink.error();
  const auto ids = sink.query(everything()).ids();
  ASSERT_EQ(ids.size(), next + 9);
  EXPECT_EQ(ids.back(), next + 9);
}

TEST_F(Sqlite, DamagedFileIsLeftAsItIsUntilItIsMovedAway) {
  std::ofstream(file_) << std::string(8192, '?');
  sink_case sink("tenon.sqlite", configuration());
  EXPECT_EQ(sink.emit(records(1, 1)), TENON_RETRY);
  EXPECT_THAT(sink.error(), HasSubstr("not a database"));
  EXPECT_EQ(std::filesystem::file_size(file_), 8192U);
  EXPECT_EQ(sink.query(everything()).status, TENON_RETRY);
  std::filesystem::rename(file_, folder_ / "damaged.db");
  EXPECT_EQ(sink.emit(records(1, 1)), TENON_OK) << sink.error();
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(1));
}

TEST_F(Sqlite, FolderThatIsNotThereIsForLater) {
  file_ = folder_ / "later" / "events.db";
  sink_case sink("tenon.sqlite", configuration());
  EXPECT_EQ(sink.emit(records(1, 1)), TENON_RETRY);
  std::filesystem::create_directories(file_.parent_path());
  EXPECT_EQ(sink.emit(records(1, 1)), TENON_OK) << sink.error();
}

TEST_F(Sqlite, OlderFileIsBroughtToTodays) {
  {
    sink_case sink("tenon.sqlite", configuration());
    ASSERT_EQ(sink.emit(records(1, 2)), TENON_OK);
  }
  const std::string today = sql("PRAGMA user_version");
  sql("DROP INDEX event_queue; DROP INDEX event_node; DROP INDEX event_type; PRAGMA user_version = 1");
  sink_case sink("tenon.sqlite", configuration());
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(1, 2));
  EXPECT_EQ(sql("PRAGMA user_version"), today);
  EXPECT_EQ(sql("SELECT count(*) FROM sqlite_master WHERE name = 'event_node'"), "1");
}

TEST_F(Sqlite, FileOfALaterVersionIsLeftAlone) {
  {
    sink_case sink("tenon.sqlite", configuration());
    ASSERT_EQ(sink.emit(records(1, 1)), TENON_OK);
  }
  sql("PRAGMA user_version = 99");
  sink_case sink("tenon.sqlite", configuration());
  EXPECT_EQ(sink.emit(records(2, 1)), TENON_RETRY);
  EXPECT_THAT(sink.error(), HasSubstr("version 99"));
  EXPECT_EQ(sql("SELECT count(*) FROM event"), "1");
}

TEST_F(Sqlite, OldRecordsAreForgotten) {
  sink_case sink("tenon.sqlite", configuration(", retention: 12h"));
  auto some = records(1, 3);
  for (size_t i = 0; i < some.size(); ++i) some[i].timestamp_ns = now_ns() - static_cast<int64_t>(i) * 10 * hour_ns;
  ASSERT_EQ(sink.emit(some), TENON_OK);
  sink.restart();  // looks at age and size
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(1, 2));
}

TEST_F(Sqlite, FewRecordsAreForgottenAsTimeGoesBy) {
  sink_case sink("tenon.sqlite", configuration(", retention: 12h"));
  ASSERT_EQ(sink.emit(records(1, 2)), TENON_OK);
  clock_moved_by(24 * 3'600);
  auto old = records(3, 2);
  old[0].timestamp_ns -= 48 * hour_ns;
  ASSERT_EQ(sink.emit(old), TENON_OK);
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(4));
  clock_moved_by(36 * 3'600);  // nothing but an old record comes
  auto older = records(5, 1);
  older[0].timestamp_ns -= 48 * hour_ns;
  ASSERT_EQ(sink.emit(older), TENON_OK);
  clock_moved_by(0);
  EXPECT_THAT(sink.query(everything()).ids(), IsEmpty());
}

TEST_F(Sqlite, WhatCannotBeForgottenIsSaidWithTheFile) {
  sink_case sink("tenon.sqlite", configuration(", retention: 12h"));
  ASSERT_EQ(sink.emit(records(1, 1)), TENON_OK);
  sql("CREATE TRIGGER kept BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'not this one'); END");
  clock_moved_by(24 * 3'600);
  EXPECT_EQ(sink.emit(records(2, 1)), TENON_RETRY);
  clock_moved_by(0);
  EXPECT_THAT(sink.error(), HasSubstr(file_.string()));
  EXPECT_THAT(sink.error(), HasSubstr("not this one"));
}

TEST_F(Sqlite, LargeFileLosesItsOldest) {
  sink_case sink("tenon.sqlite", configuration(", retention: '0', max_mb: 1"));
  for (uint64_t first = 1; first < 5'000; first += 1'000) ASSERT_EQ(sink.emit(records(first, 1'000, 900)), TENON_OK);
  sink.restart();
  const auto ids = sink.query(everything()).ids();
  ASSERT_FALSE(ids.empty());
  EXPECT_GT(ids.front(), 3'000U);
  EXPECT_EQ(ids.back(), 5'000U);
  EXPECT_LT(std::stoull(sql("PRAGMA page_count")) * std::stoull(sql("PRAGMA page_size")), 2U << 20U);
}

TEST_F(Sqlite, EachFilterHasItsIndex) {
  sink_case sink("tenon.sqlite", configuration());
  ASSERT_EQ(sink.emit(records(1, 1)), TENON_OK);
  for (const std::string column : {"object", "application", "queue", "node"}) {
    EXPECT_EQ(sql("SELECT count(*) FROM pragma_index_list('event') WHERE name = 'event_" + column + "'"), "1");
  }
  EXPECT_EQ(sql("SELECT count(*) FROM pragma_index_list('event') WHERE name IN ('event_type', 'event_time')"), "2");
}

TEST(SqliteConfiguration, BadRetentionIsRefused) {
  EXPECT_THROW(sink_case("tenon.sqlite", "{ path: x.db, retention: 7 weeks }"), std::runtime_error);
  EXPECT_THROW(sink_case("tenon.sqlite", "{ retention: 7d }"), std::runtime_error);
}

}  // namespace
}  // namespace tenon::testing
