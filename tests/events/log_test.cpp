// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.log: lines of JSON, in a file that is rotated.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "sink_case.hpp"

namespace tenon::testing {
namespace {

class Log : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "tenon-log-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  static std::vector<boost::json::object> lines(const std::filesystem::path &file) {
    std::vector<boost::json::object> out;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) out.push_back(boost::json::parse(line).as_object());
    return out;
  }
  std::filesystem::path folder_;
};

TEST_F(Log, RecordIsALineOfJson) {
  const auto file = folder_ / "below" / "events.jsonl";
  sink_case log("tenon.log", "{ path: " + file.string() + " }");
  test_record r;
  r.id = 7;
  r.type = TENON_EVENT_REQUEST;
  r.object = "key \"1\"\n\x01\\";
  r.message = "\xC3\xA4";
  r.resource = {{"memory", 5}, {"vcore", -1}};
  ASSERT_EQ(log.emit({r, r}), TENON_OK) << log.error();
  const auto written = lines(file);
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[0].at("id"), 7);
  EXPECT_EQ(written[0].at("type"), 1);
  EXPECT_EQ(written[0].at("objectID").as_string(), r.object);
  EXPECT_EQ(written[0].at("message").as_string(), r.message);
  EXPECT_EQ(written[0].at("resource").at("vcore"), -1);
  EXPECT_FALSE(written[0].contains("queue"));
  EXPECT_FALSE(written[0].contains("lastID"));
}

TEST_F(Log, LossNamesItsRange) {
  const auto file = folder_ / "events.jsonl";
  sink_case log("tenon.log", "{ path: " + file.string() + " }");
  test_record r;
  r.type = TENON_EVENT_SYSTEM;
  r.reason = "EventsLost";
  r.id = 3;
  r.last_id = 9;
  ASSERT_EQ(log.emit({r}), TENON_OK);
  EXPECT_EQ(lines(file).at(0).at("lastID"), 9);
}

TEST_F(Log, LargeFileIsPutAside) {
  const auto file = folder_ / "events.jsonl";
  sink_case log("tenon.log", "{ path: " + file.string() + ", max_mb: 1, files: 2 }");
  test_record r;
  r.message.assign(1'000, 'x');
  for (int i = 0; i < 30; ++i) {
    r.id = static_cast<uint64_t>(i) + 1;
    ASSERT_EQ(log.emit(std::vector<test_record>(100, r)), TENON_OK) << log.error();
  }
  EXPECT_TRUE(std::filesystem::exists(folder_ / "events.1.jsonl"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "events.2.jsonl"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "events.3.jsonl"));
  EXPECT_LE(std::filesystem::file_size(file), 1U << 20U);
}

TEST_F(Log, FileThatCannotBeWrittenIsForLater) {
  std::ofstream(folder_ / "file") << "in the way";
  const auto file = folder_ / "file" / "events.jsonl";
  sink_case log("tenon.log", "{ path: " + file.string() + " }");
  test_record r;
  r.id = 1;
  EXPECT_EQ(log.emit({r}), TENON_RETRY);
  EXPECT_FALSE(log.error().empty());
  std::filesystem::remove(folder_ / "file");
  EXPECT_EQ(log.emit({r}), TENON_OK) << log.error();
  EXPECT_EQ(lines(file).size(), 1U);
}

TEST_F(Log, FullDiskLeavesNoHalfLine) {
  const auto file = folder_ / "events.jsonl";
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  sink_case log("tenon.log", "{ path: " + file.string() + " }");
  uint64_t last = 0;
  for (const size_t length : {10, 1'000, 100'000}) {  // in the buffer, over its end, and larger than it
    SCOPED_TRACE(length);
    const rlimit small{(last == 0 ? 0 : std::filesystem::file_size(file)) + length * 3 + 512, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::vector<test_record> batch(10);
    for (test_record &r : batch) {
      r.id = ++last;
      r.message.assign(length, 'x');
    }
    const tenon_status status = log.emit(batch), again = log.emit(batch);
    const std::string message = log.error();
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(status, TENON_RETRY);
    EXPECT_EQ(again, TENON_RETRY);
    EXPECT_THAT(message, ::testing::HasSubstr(file.string()));
    ASSERT_EQ(log.emit(batch), TENON_OK) << log.error();
  }
  std::set<int64_t> ids;
  for (const auto &line : lines(file)) ids.insert(line.at("id").as_int64());
  EXPECT_EQ(ids.size(), last);
}

TEST_F(Log, LineOfAKilledProcessGivesWayAndThoseOfOthersAreEnded) {
  const auto file = folder_ / "events.jsonl";
  test_record r;
  r.id = 1;
  std::ofstream(file) << "{\"id\":7}\n{\"id\":8,\"mess";
  {
    sink_case log("tenon.log", "{ path: " + file.string() + " }");
    ASSERT_EQ(log.emit({r}), TENON_OK) << log.error();
  }
  const auto written = lines(file);
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[0].at("id"), 7);
  EXPECT_EQ(written[1].at("id"), 1);
  std::ofstream(file) << "a line of another program";
  sink_case log("tenon.log", "{ path: " + file.string() + " }");
  ASSERT_EQ(log.emit({r}), TENON_OK) << log.error();
  std::ifstream in(file);
  std::string first, second;
  std::getline(in, first);
  std::getline(in, second);
  EXPECT_EQ(first, "a line of another program");
  EXPECT_EQ(boost::json::parse(second).at("id"), 1);
}

}  // namespace
}  // namespace tenon::testing
