// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement rules and sources of groups made by the SDK, through the C ABI.
#include <gmock/gmock.h>

#include "stub_host.hpp"
#include "tenon/builtin/policy_source.hpp"
#include "tenon/sdk/identity.hpp"
#include "tenon/sdk/placement_rule.hpp"
#include "tenon/testing/applicants.hpp"
#include "tenon/testing/resolved_groups.hpp"

namespace {

using namespace tenon::sdk;

// Tag `do` says what to do.
struct scripted_rule {
  static constexpr std::string_view name = "scripted";
  static constexpr uint32_t order_rev = 3;

  explicit scripted_rule(const config &settings) : value_(settings.text("value", "")) {
    if (value_ == "bad") throw invalid_config("a bad value");
  }

  placement place(const submission &app) const {
    const std::string_view what = app.tag("do").value_or("nothing");
    if (what == "refuse") throw invalid_config("no place for " + std::string(app.user()));
    if (what == "throw") throw std::runtime_error("a bug");
    if (what == "path") return full_path("root." + value_);
    if (what == "written") return as_written(app.queue());
    if (what == "long") return below_parent(std::string(TENON_PLACE_NAME_ROOM + 1, 'x'));
    if (what == "empty") return full_path("");
    if (what == "all") {
      std::string all(app.application());
      for (uint32_t i = 0; i < app.group_count(); ++i) all += "-" + std::string(app.group(i));
      return below_parent(all + "-" + std::to_string(app.now_ms()));
    }
    if (what == "find") {
      const auto found = app.find("root.a");
      return below_parent(!found ? "none" : found->leaf ? "leaf" : "parent");
    }
    return next_rule();
  }

 private:
  std::string value_;
};

struct scripted_groups {
  static constexpr std::string_view name = "scripted";

  std::optional<std::vector<std::string>> groups(std::string_view user) {
    if (user == "away") throw unavailable("on holiday");
    if (user == "broken") throw std::runtime_error("a bug");
    if (user == "nobody") return std::nullopt;
    return std::vector<std::string>{"first", "", std::string(user)};
  }
};

}  // namespace

TENON_MODULE(placement_rule<scripted_rule>, identity<scripted_groups>)

namespace tenon::sdk {
namespace {

using tenon::testing::applicant;
using tenon::testing::declined;
using tenon::testing::placed;
using ::testing::ElementsAre;

std::unique_ptr<bound_policy> bound(module_kind kind, std::string_view configuration = "{}") {
  static constexpr std::array modules{builtin::static_module{"test.scripted", &TENON_MODULE_ENTRY}};
  auto made = bind_static(modules, kind, "scripted", configuration, 16);
  if (!made) throw std::runtime_error(made.why().text());
  return std::move(*made);
}

placed place(const std::string &what, applicant app = {}) {
  app.tags.emplace_back("Do", what);
  return testing::place(*bound(module_kind::placement_rule, R"({"value": "A.b"})"), app);
}

TEST(Place, NameOrPathAsTheRuleGivesIt) {
  EXPECT_EQ(place("path"), (placed{"root.A.b", true}));
  EXPECT_EQ(place("written", {.queue = "root.x.y"}), (placed{"root.x.y", true}));
  EXPECT_EQ(place("written", {.queue = "x.y"}), (placed{"x_dot_y", false}));
}

TEST(Place, NothingToSayDeclined) {
  for (const char *what : {"nothing", "empty"}) EXPECT_EQ(place(what), declined);
}

TEST(Place, WholeSubmissionIsSeen) {
  EXPECT_EQ(place("all", {.application = "app", .groups = {"g", "h"}, .now_ms = 7}), (placed{"app-g-h-7", false}));
}

TEST(Place, QueuesAreLookedUp) {
  EXPECT_EQ(place("find"), (placed{"none", false}));
  EXPECT_EQ(place("find", {.queues = {{"root.a", true}}}), (placed{"leaf", false}));
  EXPECT_EQ(place("find", {.queues = {{"root.a", false}}}), (placed{"parent", false}));
}

TEST(Place, InvalidConfigRefusesTheApplicationInItsWords) {
  EXPECT_EQ(place("refuse", {.user = "alice"}), (placed{{}, false, TENON_INVALID_CONFIG, "no place for alice"}));
}

TEST(Place, OtherExceptionIsAFault) { EXPECT_EQ(place("throw"), (placed{{}, false, TENON_INTERNAL})); }

TEST(Place, NameWithoutRoomIsExhaustedAndNothingWritten) {
  EXPECT_EQ(place("long"), (placed{{}, false, TENON_EXHAUSTED}));
}

TEST(Place, HostThatIsTooOldUnsupported) {
  const auto rule = bound(module_kind::placement_rule);
  tenon_place_in in = {};
  in.size = offsetof(tenon_place_in, now_ms);
  tenon_place_out out = {};
  out.size = sizeof out;
  EXPECT_EQ(rule->placement->place(rule->instance, &in, &out), TENON_UNSUPPORTED);
  in.size = sizeof in;
  out.size = offsetof(tenon_place_out, error);
  EXPECT_EQ(rule->placement->place(rule->instance, &in, &out), TENON_UNSUPPORTED);
}

TEST(Place, ConfigurationIsTheInstances) {
  EXPECT_THROW(bound(module_kind::placement_rule, R"({"value": "bad"})"), std::runtime_error);
}

TEST(OneLevel, DotsAlone) {
  EXPECT_EQ(one_level("a.b..c"), "a_dot_b_dot__dot_c");
  EXPECT_EQ(one_level(""), "");
}

TEST(Resolve, GroupsInOrderEmptyOnesToo) {
  const auto answer = testing::resolve(*bound(module_kind::identity), "alice");
  EXPECT_EQ(answer.status, TENON_OK);
  EXPECT_THAT(answer.groups, ElementsAre("first", "", "alice"));
}

TEST(Resolve, NoSuchUserDeclined) {
  EXPECT_EQ(testing::resolve(*bound(module_kind::identity), "nobody").status, TENON_DECLINED);
}

TEST(Resolve, UnavailableRetryInItsWords) {
  const auto answer = testing::resolve(*bound(module_kind::identity), "away");
  EXPECT_EQ(answer.status, TENON_RETRY);
  EXPECT_EQ(answer.text, "on holiday");
}

TEST(Resolve, OtherExceptionIsAFault) {
  EXPECT_EQ(testing::resolve(*bound(module_kind::identity), "broken").status, TENON_INTERNAL);
}

TEST(Resolve, TooLittleRoomSaysHowMuchItWants) {
  const auto source = bound(module_kind::identity);
  for (const auto &[groups, bytes] : {std::pair{2U, size_t{100}}, {3U, size_t{9}}}) {
    const auto answer = testing::resolve(*source, "alice", groups, bytes);
    EXPECT_EQ(answer.status, TENON_EXHAUSTED);
    EXPECT_EQ(answer.wanted_groups, 3U);
    EXPECT_EQ(answer.wanted_bytes, 10U);
  }
  EXPECT_EQ(testing::resolve(*source, "alice", 3, 10).status, TENON_OK);
}

}  // namespace
}  // namespace tenon::sdk
