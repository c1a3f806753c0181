// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queries of tenon.sqlite: they give what fits, and walk along an index, because nothing is written meanwhile.
#include <gmock/gmock.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <set>

#include "sink_case.hpp"
#include "tenon/sdk/event_sink.hpp"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Texts of the statements that anybody in this process runs.
std::set<std::string> *heard = nullptr;

int hear(sqlite3 *db, const char **, const void *) {
  const auto note = [](unsigned, void *, void *, void *text) {
    if (heard != nullptr) heard->insert(static_cast<const char *>(text));
    return 0;
  };
  return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, note, nullptr);
}

std::vector<std::string> plan_of(const std::string &file, const std::string &sql) {
  sqlite3 *db = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  std::vector<std::string> out;
  const auto note = [](void *to, int, char **values, char **) {
    static_cast<std::vector<std::string> *>(to)->emplace_back(values[3]);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(db, ("EXPLAIN QUERY PLAN " + sql).c_str(), note, &out, nullptr), SQLITE_OK) << sql;
  sqlite3_close(db);
  return out;
}

class SqlitePlan : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    heard = &heard_;
    sqlite3_auto_extension(reinterpret_cast<void (*)()>(hear));
    sink_ = std::make_unique<sink_case>("tenon.sqlite", "{ path: " + file_ + ", retention: '0', max_mb: 1 }");
  }
  void TearDown() override {
    sink_.reset();
    sqlite3_reset_auto_extension();
    heard = nullptr;
    std::filesystem::remove_all(folder_);
  }

  // Records of a run with few different values; every tenth stands for three.
  void fill(const std::string &run, uint64_t count, int64_t from_ns) {
    std::vector<test_record> out;
    for (uint64_t id = 1, n = 0; n < count; ++n) {
      test_record r;
      r.run = run;
      r.id = r.last_id = id;
      if (n % 10 == 9) r.last_id += 2;
      id = r.last_id + 1;
      r.type = any(6);
      r.timestamp_ns = from_ns += any(3);
      r.partition = one_of({"[rm]default", "[rm]other"});
      r.object = one_of({"o1", "o2", "o3", ""});
      r.application = one_of({"app-1", "app-2", ""});
      r.queue = one_of({"root.a", "root.b", ""});
      r.node = one_of({"n1", "n2", ""});
      out.push_back(r);
    }
    ASSERT_EQ(sink_->emit(out), TENON_OK) << sink_->error();
    all_.insert(all_.end(), out.begin(), out.end());
  }
  uint32_t any(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  std::string one_of(const std::vector<std::string> &texts) { return texts[any(static_cast<uint32_t>(texts.size()))]; }

  // Run and id of those that a query gives, page by page, and of those that it should.
  std::pair<std::vector<std::string>, std::vector<std::string>> given_and_wanted(sdk::event_query asked) {
    std::vector<std::string> given, wanted;
    tenon_event_query_in in = everything();
    in.types = asked.types;
    in.run = sdk::text(asked.run);
    in.partition = sdk::text(asked.partition);
    in.object = sdk::text(asked.object);
    in.application = sdk::text(asked.application);
    in.queue = sdk::text(asked.queue);
    in.node = sdk::text(asked.node);
    in.since_ns = asked.since_ns;
    in.until_ns = asked.until_ns;
    in.first_id = asked.first_id;
    in.last_id = asked.last_id;
    in.limit = asked.limit;
    do {
      const query_answer page = sink_->query(in);
      EXPECT_EQ(page.status, TENON_OK) << page.error;
      for (const test_record &r : page.records) given.push_back(r.run + " " + std::to_string(r.id));
      in.after = page.next;
    } while (in.after != 0);
    for (const test_record &r : all_) {
      tenon_event_record raw{};
      raw.id = r.id;
      raw.last_id = r.last_id;
      raw.type = r.type;
      raw.timestamp_ns = r.timestamp_ns;
      raw.run = as_text(r.run);
      raw.partition = as_text(r.partition);
      raw.object = as_text(r.object);
      raw.application = as_text(r.application);
      raw.queue = as_text(r.queue);
      raw.node = as_text(r.node);
      if (sdk::fits(asked, sdk::event(raw))) wanted.push_back(r.run + " " + std::to_string(r.id));
    }
    return {given, wanted};
  }

  const std::string folder_ = ::testing::TempDir() + "tenon-sqlite-plan-" + std::to_string(::getpid());
  const std::string file_ = folder_ + "/events.db";
  std::set<std::string> heard_;
  std::unique_ptr<sink_case> sink_;
  std::vector<test_record> all_;
  std::mt19937 random_{std::random_device{}()};
};

TEST_F(SqlitePlan, AnyQueryGivesWhatFitsAlongAnIndex) {
  const uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  random_.seed(seed);
  fill("run-1", 60, 1'000);
  fill("run-2", 80, 1'040);  // its clock begins before the end of the other's
  fill("run-3", 40, 1'100);
  for (int i = 0; i < 1'000; ++i) {
    sdk::event_query asked;
    const std::string run = one_of({"", "run-1", "run-2", "run-3", "run-4"}),
                      partition = one_of({"", "", "[rm]default"}), object = one_of({"", "", "", "o1"}),
                      application = one_of({"", "", "", "app-1", "app-3"}), queue = one_of({"", "", "", "root.a"}),
                      node = one_of({"", "", "", "n2"});
    asked.run = run;
    asked.partition = partition;
    asked.object = object;
    asked.application = application;
    asked.queue = queue;
    asked.node = node;
    asked.types = any(2) == 0 ? 0 : any(64);
    if (any(3) == 0) asked.since_ns = 990 + any(200);
    if (any(3) == 0) asked.until_ns = 990 + any(200);
    if (any(3) == 0) asked.first_id = any(110);
    if (any(3) == 0) asked.last_id = any(110);
    asked.limit = any(3) == 0 ? 0 : 1 + any(20);
    const auto [given, wanted] = given_and_wanted(asked);
    ASSERT_EQ(given, wanted) << "query " << i;
  }
  // What is forgotten is found along an index too.
  std::vector<test_record> large(11'000);
  for (size_t i = 0; i < large.size(); ++i) {
    large[i].id = large[i].last_id = 1'000 + i;
    large[i].message.assign(200, 'x');
  }
  ASSERT_EQ(sink_->emit(large), TENON_OK) << sink_->error();
  size_t looked_at = 0;
  for (const std::string &sql : heard_) {
    if ((!sql.starts_with("SELECT") && !sql.starts_with("DELETE")) || sql.find(" event ") == std::string::npos)
      continue;
    ++looked_at;
    SCOPED_TRACE(sql);
    for (const std::string &step : plan_of(file_, sql)) {
      EXPECT_THAT(step, Not(HasSubstr("TEMP B-TREE")));
      EXPECT_THAT(step, Not(StartsWith("SCAN")));
    }
  }
  EXPECT_GT(looked_at, 100U);
}

TEST_F(SqlitePlan, OneFilterUsesItsOwnIndex) {
  fill("run-1", 10, 1'000);
  const auto index_of = [&](auto &&set) {
    tenon_event_query_in in = everything();
    set(in);
    heard_.clear();
    EXPECT_EQ(sink_->query(in).status, TENON_OK);
    std::string all;
    for (const std::string &sql : heard_) {
      for (const std::string &step : plan_of(file_, sql)) all += step + "\n";
    }
    return all;
  };
  const std::string it = "o1";
  EXPECT_THAT(index_of([&](auto &in) { in.object = as_text(it); }), HasSubstr("INDEX event_object"));
  EXPECT_THAT(index_of([&](auto &in) { in.application = as_text(it); }), HasSubstr("INDEX event_application"));
  EXPECT_THAT(index_of([&](auto &in) { in.queue = as_text(it); }), HasSubstr("INDEX event_queue"));
  EXPECT_THAT(index_of([&](auto &in) { in.node = as_text(it); }), HasSubstr("INDEX event_node"));
  EXPECT_THAT(index_of([&](auto &in) { in.types = 1U << TENON_EVENT_APP; }), HasSubstr("INDEX event_type"));
  EXPECT_THAT(index_of([&](auto &in) { in.types = 3; }), HasSubstr("INDEX event_type"));
  EXPECT_THAT(index_of([&](auto &in) { in.run = as_text(it); }), HasSubstr("INDEX event_run_id"));
  EXPECT_THAT(index_of([&](auto &in) { in.since_ns = 1; }), HasSubstr("INDEX event_time"));
}

}  // namespace
}  // namespace tenon::testing
