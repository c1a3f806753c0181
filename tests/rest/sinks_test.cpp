// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people read of the deployment's event sinks: records of what somebody did.
#include <gmock/gmock.h>

#include "rest_case.hpp"

namespace tenon::rest::testing {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Sinks : public rest_case {
 protected:
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
};

TEST_F(Sinks, LongReason_LeavesTheRefusalAndWholeCharacters) {
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

}  // namespace
}  // namespace tenon::rest::testing
