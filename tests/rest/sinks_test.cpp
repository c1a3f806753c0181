// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people read of the deployment's event sinks: records of what somebody did, and how much was kept and lost.
#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "rest_case.hpp"
#include "tenon/events/event_hub.hpp"

namespace tenon::rest::testing {
namespace {

namespace json = boost::json;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

class Sinks : public rest_case {
 protected:
  void TearDown() override {
    rest_case::TearDown();
    std::filesystem::remove_all(files_);
  }
  // The message of the newest record about the object that a person left.
  std::string message_about(const std::string &object) {
    std::string out;
    until("/ws/v1/events/batch", [&](const reply &r) {
      const json::value all = r.json();
      if (!all.is_object() || !all.at("EventRecords").is_array()) return false;
      for (const json::value &one : all.at("EventRecords").as_array()) {
        const json::object &record = one.as_object();
        if (record.contains("type") || record.at("objectID").as_string() != object) continue;
        out = record.at("message").as_string();
      }
      return !out.empty();
    });
    return out;
  }

  const std::filesystem::path files_ = ::testing::TempDir() + "tenon-rest-sinks-" + std::to_string(::getpid());
};

TEST_F(Sinks, LongReasonLeavesTheRefusalAndWholeCharacters) {
  open();
  small_cluster();
  const std::string queue = "/tenon/v1/partition/default/queue/";
  std::string reason;
  for (int i = 0; i < 700; ++i) reason += "%C3%A4";
  for (const auto &[before, name] : std::map<std::string, std::string>{{"", "root.default"}, {"x", "root.other"}}) {
    const std::string target = queue + name + "/stop?reason=" + before + reason;
    ASSERT_EQ(post(target, {}, "queues-of-olga-only").status, 403U);
    const std::string message = message_about(name);
    EXPECT_THAT(message, StartsWith("olga (rest 127.0.0.1): stop queue " + name + ": refused: the admin ACL of queue " +
                                    name + " does not name olga, because " + before + "\xC3\xA4"));
    EXPECT_THAT(message.substr(message.size() - 5), "\xC3\xA4...");
    EXPECT_GE(message.size(), 1'023U);
  }
}

// "name{labels}" of each line.
std::vector<std::string> series_of(const std::string &page) {
  std::vector<std::string> out;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') out.push_back(line.substr(0, line.rfind(' ')));
  }
  return out;
}

TEST_F(Sinks, TwoOfOneModuleAreSeriesOfTheirOwn) {
  std::filesystem::create_directories(files_);
  std::vector<std::string> wanted;
  events_ = "[";
  const auto add = [&](const std::string &module, const std::string &file) {
    const std::string entry = std::to_string(wanted.size());
    events_ += (wanted.empty() ? "" : ", ") + ("{use: tenon." + module) + ", config: {path: " + files_.string() + "/" +
               file + "}}";
    wanted.push_back("tenon_event_sink_kept_total{entry=\"" + entry + "\",sink=\"" + module + "\"}");
  };
  add("log", "1.jsonl");
  add("log", "2.jsonl");
  if (TENON_HAS_SQLITE) {
    add("sqlite", "1.db");
    add("sqlite", "2.db");
  }
  events_ += "]";
  open();
  small_cluster();
  const reply page = get("/ws/v1/metrics");
  const std::vector<std::string> series = series_of(page.body);
  EXPECT_THAT(series, IsSupersetOf(wanted));
  std::set<std::string> once, twice;
  for (const std::string &one : series) {
    if (!once.insert(one).second) twice.insert(one);
  }
  EXPECT_THAT(twice, IsEmpty());
}

TEST_F(Sinks, WhatSubscribersLostIsCounted) {
  open();
  const tenon_events_subscribe_in in{sizeof in, 0, 1, 0, nullptr, nullptr};  // room for one record
  tenon_events_subscribe_out made{sizeof made, 0, 0};
  ASSERT_EQ(service_->events()->subscribe(in, made), TENON_OK);
  small_cluster();
  ASSERT_TRUE(service_->events()->flush(std::chrono::seconds(30)));
  ASSERT_GT(service_->events()->counters().lost_by_subscribers, 0U);
  const std::string zero = "tenon_event_subscribers_lost_total 0\n", line = zero.substr(0, zero.size() - 2);
  const reply page = until("/ws/v1/metrics", [&](const reply &r) { return r.body.find(zero) == std::string::npos; });
  EXPECT_NE(page.body.find("\n" + line), std::string::npos);
}

}  // namespace
}  // namespace tenon::rest::testing
