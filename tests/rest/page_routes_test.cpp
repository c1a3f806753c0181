// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the dashboard reads beside the field's interface: resource managers, reservations, preemptions, history,
// devices.
#include "rest_case.hpp"

namespace tenon::rest::testing {
namespace {

namespace json = boost::json;

constexpr const char *two_sides = R"(
partitions:
  - name: default
    reservation: {delay: 1ms}
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: default
          - {name: poor, resources: {guaranteed: {vcore: 3}}, properties: {preemption.delay: 1ms}}
)";

class PageRoutes : public rest_case {
 protected:
  const std::string ours_ = "/tenon/v1/partition/default";

  // What a list counts over all of its points.
  static int64_t sum(const json::value &points, std::string_view key) {
    int64_t out = 0;
    for (const auto &one : points.as_array()) out += one.at(key).to_number<int64_t>();
    return out;
  }
};

TEST_F(PageRoutes, SayWhichResourceManagersAreAway) {
  open();
  EXPECT_EQ(get("/tenon/v1/rms").json().as_array().size(), 0U);
  const uint64_t session = small_cluster();
  const json::value here = get("/tenon/v1/rms").json().at(0);
  EXPECT_EQ(here.at("rm"), "rm");
  EXPECT_EQ(here.at("connected"), true);
  EXPECT_EQ(here.at("policyGroup"), "default");
  EXPECT_EQ(here.at("partitions").at(0), "[rm]default");
  EXPECT_GT(here.at("since").as_int64(), 0);
  EXPECT_EQ(rm_.signal(session, TENON_RM_LOST), TENON_OK);
  const reply lost = until("/tenon/v1/rms", [](const reply &r) { return r.json().at(0).at("connected") == false; });
  const json::value away = lost.json().at(0);
  EXPECT_GE(away.at("since").as_int64(), here.at("since").as_int64());
  EXPECT_EQ(away.at("registered"), here.at("registered"));
  const json::value again = get("/tenon/v1/rms").json().at(0);
  EXPECT_EQ(again.at("since"), away.at("since")) << "it is away since then, however often somebody looks";
}

TEST_F(PageRoutes, ShowReservations) {
  queues_yaml_ = two_sides;
  open();
  const uint64_t session = enter();
  interface::requests batch;
  batch.node("node-1", {{"vcore", 4000}});
  batch.application("runs").ask({.application = "runs", .key = "one", .resources = {{"vcore", 2000}}});
  submit(session, batch);
  until("/ws/v1/partition/default/application/runs",
        [](const reply &r) { return r.body.find("\"allocations\"") != std::string::npos; });
  EXPECT_EQ(get(ours_ + "/reservations").body, "[]");
  interface::requests more;
  more.application("waits").ask({.application = "waits", .key = "two", .resources = {{"vcore", 3000}}});
  submit(session, more);
  until("/ws/v1/partition/default/application/waits",
        [](const reply &r) { return r.body.find("\"requests\"") != std::string::npos; });
  interface::requests last;  // the ask is looked at once more, and its millisecond is over
  last.node("node-2", {{"vcore", 1000}});
  submit(session, last);
  const json::value found =
      until(ours_ + "/reservations", [](const reply &r) { return r.status == 200 && r.body != "[]"; }).json().at(0);
  EXPECT_EQ(found.at("nodeID"), "node-1");
  EXPECT_EQ(found.at("applicationID"), "waits");
  EXPECT_EQ(found.at("allocationKey"), "two");
  EXPECT_EQ(found.at("queueName"), "root.default");
  EXPECT_EQ(found.at("resource").at("vcore"), 3000);
  EXPECT_EQ(found.at("available").at("vcore"), 2000);
}

TEST_F(PageRoutes, TellWhatGaveWayAndCountIt) {
  queues_yaml_ = two_sides;
  open();
  const uint64_t session = enter();
  interface::requests batch;
  batch.node("node-1", {{"vcore", 4000}}).application("rich").application("late", "root.poor");
  for (int i = 0; i < 4; ++i) batch.ask({.application = "rich", .key = "r" + std::to_string(i)});
  submit(session, batch);
  until(ours_ + "/history", [](const reply &r) { return r.status == 200 && sum(r.json(), "placed") == 4; });
  EXPECT_EQ(get(ours_ + "/preemptions").body, "[]");
  interface::requests more;
  more.ask({.application = "late", .key = "claims", .may_preempt_others = true});
  submit(session, more);
  const json::value gone =
      until(ours_ + "/preemptions", [](const reply &r) { return r.status == 200 && r.body != "[]"; }).json();
  ASSERT_EQ(gone.as_array().size(), 1U);
  EXPECT_EQ(gone.at(0).at("queueName"), "root.default");
  EXPECT_EQ(gone.at(0).at("applicationID"), "rich");
  EXPECT_EQ(gone.at(0).at("nodeID"), "node-1");
  EXPECT_EQ(gone.at(0).at("number"), 1);
  until(ours_ + "/history", [](const reply &r) { return sum(r.json(), "preempted") == 1; });
}

TEST_F(PageRoutes, RememberUseAndWhatWaits) {
  open();
  small_cluster();
  const json::value points =
      until(ours_ + "/history", [](const reply &r) { return r.status == 200 && sum(r.json(), "placed") == 3; }).json();
  const json::value last = points.as_array().back();
  EXPECT_EQ(last.at("used").at("vcore"), 3000);
  EXPECT_EQ(last.at("capacity").at("vcore"), 6000);
  EXPECT_EQ(last.at("capacity").at("memory"), 2000);
  EXPECT_EQ(last.at("pending").at("vcore"), 3000);
  EXPECT_EQ(last.at("waitingApplications"), 1);
  EXPECT_GE(sum(points, "decisions"), 5) << "two nodes and three allocations";
  EXPECT_GE(last.at("longestWaitSeconds").to_number<double>(), last.at("meanWaitSeconds").to_number<double>());
}

TEST_F(PageRoutes, RememberWhatWaitsInEachQueueAndForWhat) {
  open();
  small_cluster();
  const auto last_of = [&](const std::string &queue) {
    return until(ours_ + "/queue/" + queue + "/history",
                 [](const reply &r) { return r.status == 200 && r.body != "[]"; })
        .json()
        .as_array()
        .back();
  };
  const json::value root = last_of("root"), busy = last_of("root.default"), waits = last_of("root.small");
  EXPECT_EQ(root.at("used").at("vcore"), 3000);
  EXPECT_EQ(root.at("pending").at("vcore"), 3000);
  EXPECT_EQ(busy.at("used").at("vcore"), 3000);
  EXPECT_EQ(busy.at("waitingAllocations"), 0);
  EXPECT_TRUE(busy.at("waitingFor").as_object().empty());
  for (const json::value &one : {root, waits}) {
    EXPECT_EQ(one.at("waitingAllocations"), 1);
    ASSERT_EQ(one.at("waitingFor").as_object().size(), 1U);
    EXPECT_EQ(one.at("waitingFor").as_object().begin()->value(), 1);
    EXPECT_NE(one.at("waitingFor").as_object().begin()->key(), "others");
  }
  EXPECT_EQ(get(ours_ + "/queue/root.nope/history").status, 404U);
}

TEST_F(PageRoutes, ShowDevicesAndWhoHoldsThem) {
  open();
  const uint64_t session = enter();
  interface::requests batch;
  batch.node("gpus", {{"vcore", 4000}, {"gpu", 2000}}, {{"tenon/devices/gpu", "2x1000"}});
  batch.node("plain", {{"vcore", 1000}});
  batch.application("app").ask({.application = "app", .key = "half", .resources = {{"gpu", 500}}});
  submit(session, batch);
  until("/ws/v1/partition/default/application/app",
        [](const reply &r) { return r.body.find("\"allocations\"") != std::string::npos; });
  const json::value nodes = get(ours_ + "/devices").json();
  ASSERT_EQ(nodes.as_array().size(), 1U) << "nodes without devices are not in it";
  EXPECT_EQ(nodes.at(0), (json::value{{"nodeID", "gpus"},
                                      {"schedulable", true},
                                      {"devices",
                                       {{{"type", "gpu"},
                                         {"amount", 1000},
                                         {"free", {500, 1000}},
                                         {"held",
                                          {{{"applicationID", "app"},
                                            {"allocationKey", "half"},
                                            {"amount", 500},
                                            {"devices", json::array{0}}}}}}}}}));
}

TEST_F(PageRoutes, RefuseAPartitionThatIsNotThere) {
  open();
  for (const char *path : {"history", "reservations", "preemptions", "devices"}) {
    EXPECT_EQ(get("/tenon/v1/partition/none/" + std::string(path)).status, 404U) << path;
  }
}

}  // namespace
}  // namespace tenon::rest::testing
