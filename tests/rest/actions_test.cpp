// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people change: who may, what happens, what is recorded; metrics and health.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "rest_case.hpp"

namespace tenon::rest::testing {
namespace {

namespace json = boost::json;

class Actions : public rest_case {
 protected:
  static constexpr const char *everything = "everything-goes-here";
  static constexpr const char *olga = "queues-of-olga-only";
  static constexpr const char *rita = "root-of-rita-and-below";
  static constexpr const char *visitor = "may-look-and-no-more";
  const std::string ours = "/tenon/v1/partition/default";
  const std::string field = "/ws/v1/partition/default";

  // The record of an action, as everybody reads it; what people did has the type 0.
  void expect_recorded(const std::string &who, const std::string &what, const std::string &object,
                       const std::string &how) {
    const std::string user = who + " (rest 127.0.0.1)";
    const auto is = [&](const json::value &r) {
      const auto text = [&](std::string_view key) {
        const json::value *of = r.as_object().if_contains(key);
        return of == nullptr ? std::string_view{} : std::string_view(of->as_string());
      };
      return !r.as_object().contains("type") && text("referenceID") == user && text("objectID") == object &&
             text("message").starts_with(user + ": " + what + ": " + how);
    };
    SCOPED_TRACE(user + ": " + what + ": " + how);
    until("/ws/v1/events/batch", [&](const reply &r) {
      const json::value all = r.json();
      const json::value &records = all.at("EventRecords");
      return records.is_array() && std::ranges::any_of(records.as_array(), is);
    });
  }
};

TEST_F(Actions, WantAToken) {
  open();
  small_cluster();
  EXPECT_EQ(post(ours + "/node/node-1/drain").status, 401U);
  EXPECT_EQ(post(ours + "/node/node-1/drain", {}, "what-nobody-has-been-given").status, 401U);
  EXPECT_EQ(post(ours + "/node/node-1/drain", {}, olga).status, 403U);
  EXPECT_EQ(post(ours + "/node/none/drain", {}, everything).status, 404U);
  EXPECT_TRUE(get(field + "/node/node-1").json().at("schedulable").as_bool());
}

TEST_F(Actions, WantTheRightAndAreRecordedEitherWay) {
  queues_yaml_ = queues;
  queues_yaml_.insert(queues_yaml_.find("    queues:"),
                      "    canary: {nodesortpolicy: {type: binpacking}, share: 500}\n");
  open();
  small_cluster();
  const std::string node = ours + "/node/node-1", queue = ours + "/queue/root.default",
                    application = ours + "/application/app-1", moved = ours + "/application/app-2";
  struct action {
    std::string path, what, object;
  };
  const std::vector<action> all{
      {"/tenon/v1/reload", "reload the configuration", ""},
      {node + "/drain", "drain node node-1", "node-1"},
      {node + "/undrain", "undrain node node-1", "node-1"},
      {queue + "/stop", "stop queue root.default", "root.default"},
      {queue + "/start", "start queue root.default", "root.default"},
      {ours + "/stop", "stop partition [rm]default", "[rm]default"},
      {ours + "/start", "start partition [rm]default", "[rm]default"},
      {ours + "/canary/back", "canary back of [rm]default", ""},
      {ours + "/canary/again", "canary again of [rm]default", ""},
      {moved + "/move?queue=root.default", "move application app-2", "app-2"},
      {application + "/kill", "kill application app-1", "app-1"},
  };
  for (const action &one : all) {
    SCOPED_TRACE(one.path);
    EXPECT_EQ(post(one.path).status, 401U);
    EXPECT_EQ(post(one.path, {}, "what-nobody-has-been-given").status, 401U);
    EXPECT_EQ(post(one.path, {}, visitor).status, 403U);
    expect_recorded("pat", one.what, one.object, "refused");
  }
  EXPECT_EQ(get(field + "/node/node-1").json().at("schedulable"), true);
  EXPECT_EQ(get(field + "/queue/root.default").json().at("status"), "Active");
  EXPECT_EQ(get(field + "/application/app-1").json().at("applicationState"), "Running");
  EXPECT_EQ(get(field + "/application/app-2").json().at("queueName"), "root.small");
  for (const action &one : all) {
    SCOPED_TRACE(one.path);
    EXPECT_EQ(post(one.path, {}, everything).status, 200U);
    expect_recorded("root", one.what, one.object, "done");
  }
}

TEST_F(Actions, WhatIsRefusedSaysWhatToDo) {
  open();
  small_cluster();
  for (const auto &[path, token, fix] : std::vector<std::array<std::string, 3>>{
           {ours + "/node/node-3/drain", everything, "did you mean 'node-1'?"},
           {ours + "/queue/root.defaul/stop", everything, "did you mean 'root.default'?"},
           {ours + "/application/app-9/kill", everything, "did you mean 'app-1'?"},
           {ours + "/application/app-1/move?queue=root.smal", everything, "did you mean 'root.small'?"},
           {ours + "/node/node-1/undrain", everything, "there is nothing to do, it takes allocations"},
           {ours + "/node/node-1/drain", olga, "ask somebody whom an adminacl"},
           {ours + "/node/node-1/drain", "a-token-of-nobody", "the transport's key \"tokens\""},
           {"/tenon/v1/config", everything, "curl --data-binary @queues.yaml"}}) {
    const reply no = post(path, {}, token);
    EXPECT_GE(no.status, 400U) << path;
    EXPECT_THAT(std::string(no.json().at("description").as_string()), ::testing::HasSubstr(fix)) << path;
  }
}

TEST_F(Actions, ReloadAndNodesAreForAdminsOfTheRoot) {
  open();
  small_cluster();
  const std::string drain = ours + "/node/node-1/drain";
  EXPECT_EQ(post("/tenon/v1/reload", {}, olga).status, 403U);
  EXPECT_EQ(post(drain, {}, olga).status, 403U);
  EXPECT_EQ(post("/tenon/v1/reload", {}, rita).status, 200U);
  EXPECT_EQ(post(drain, {}, rita).status, 200U);
  expect_recorded("rita", "drain node node-1", "node-1", "done");
  EXPECT_EQ(post("/tenon/v1/config", queues, rita).status, 403U);
  EXPECT_EQ(post("/tenon/v1/config", queues, everything).status, 200U);
}

TEST_F(Actions, DrainNodes) {
  open();
  small_cluster();
  EXPECT_EQ(post(ours + "/node/node-1/undrain", {}, everything).status, 409U);
  EXPECT_EQ(post(ours + "/node/node-1/drain?reason=old", {}, everything).status, 200U);
  until(field + "/node/node-1", [](const reply &r) { return r.json().at("schedulable") == false; });
  EXPECT_EQ(post(ours + "/node/node-1/undrain", {}, everything).status, 200U);
  until(field + "/node/node-1", [](const reply &r) { return r.json().at("schedulable") == true; });
  const auto told = audited();
  ASSERT_EQ(told.size(), 3U);
  EXPECT_NE(told[1].find("root (rest 127.0.0.1): drain node node-1 of [rm]default, because old: done"),
            std::string::npos)
      << told[1];
}

TEST_F(Actions, StopAndStartQueues) {
  open();
  const uint64_t session = small_cluster();
  EXPECT_EQ(post(ours + "/queue/root.default/stop", {}, olga).status, 403U);
  EXPECT_EQ(post(ours + "/queue/root.none/stop", {}, olga).status, 404U);
  EXPECT_EQ(post(ours + "/queue/root.small/stop", {}, olga).status, 200U);
  EXPECT_EQ(post(ours + "/queue/root.small/stop", {}, olga).status, 409U);
  until(field + "/queue/root.small", [](const reply &r) { return r.json().at("status") == "Stopped"; });
  interface::requests batch;
  batch.application("app-3", "root.small").ask({.application = "app-2", .key = "fits"});
  submit(session, batch);
  // Who cannot get into the queue that it wants runs in root.default.
  until(field + "/application/app-3", [](const reply &r) { return r.body.find("root.default") != std::string::npos; });
  until(field + "/application/app-2", [](const reply &r) { return r.body.find("\"fits\"") != std::string::npos; });
  EXPECT_EQ(get(field + "/application/app-2").json().as_object().contains("allocations"), false);
  EXPECT_EQ(post(ours + "/queue/root.small/start", {}, olga).status, 200U);
  until(field + "/application/app-2", [](const reply &r) { return r.json().as_object().contains("allocations"); });
}

TEST_F(Actions, StopStartAndDrainPartitions) {
  open();
  const uint64_t session = small_cluster();
  const auto state = [&](const std::string &wanted) {
    return until("/ws/v1/partitions", [&](const reply &r) { return r.json().at(0).at("state").as_string() == wanted; });
  };
  EXPECT_EQ(post(ours + "/stop", {}, olga).status, 403U);
  EXPECT_EQ(post("/tenon/v1/partition/none/stop", {}, everything).status, 404U);
  EXPECT_EQ(post(ours + "/stop?reason=night", {}, rita).status, 200U);
  state("Stopped");
  EXPECT_EQ(post(ours + "/stop", {}, rita).status, 409U);
  interface::requests batch;
  batch.application("app-3", "root.default").ask({.application = "app-1", .key = "later"});
  submit(session, batch);
  until(field + "/applications/rejected",
        [](const reply &r) { return r.body.find("its state is Stopped") != std::string::npos; });
  until(field + "/application/app-1", [](const reply &r) { return r.body.find("\"later\"") != std::string::npos; });
  EXPECT_EQ(get(field + "/application/app-1").json().at("allocations").as_array().size(), 3U);
  EXPECT_EQ(post(ours + "/start", {}, rita).status, 200U);
  until(field + "/application/app-1", [](const reply &r) { return r.json().at("allocations").as_array().size() == 4; });
  EXPECT_EQ(post(ours + "/drain", {}, rita).status, 200U);
  state("Draining");
  EXPECT_EQ(post("/tenon/v1/reload", {}, everything).status, 200U);
  state("Draining");
  EXPECT_EQ(post(ours + "/start", {}, rita).status, 200U);
  state("Active");
  expect_recorded("rita", "drain partition [rm]default", "[rm]default", "done");
}

TEST_F(Actions, KillApplications) {
  open();
  small_cluster();
  EXPECT_EQ(post(ours + "/application/app-1/kill", {}, olga).status, 403U);
  EXPECT_EQ(post(ours + "/application/none/kill", {}, everything).status, 404U);
  EXPECT_EQ(post(ours + "/application/app-1/kill?reason=enough", {}, everything).status, 200U);
  until(field + "/application/app-1", [](const reply &r) { return r.body.find("Failing") != std::string::npos; });
  EXPECT_EQ(post(ours + "/application/app-2/kill", {}, olga).status, 200U);
  until(field + "/applications/completed", [](const reply &r) { return r.body.find("app-2") != std::string::npos; });
}

TEST_F(Actions, MoveApplications) {
  open();
  small_cluster();
  const std::string move = ours + "/application/app-2/move";
  const std::string there = R"({"queue": "root.default"})";
  EXPECT_EQ(post(move, there).status, 401U);
  EXPECT_EQ(post(move, there, olga).status, 403U) << "the other queue is not hers";
  EXPECT_EQ(post(ours + "/application/app-1/move?queue=root.small", {}, olga).status, 403U) << "nor is this one";
  for (const std::string body : {"", "root.default", "[]", R"({"queue": 1})", R"({"queue": ""})"}) {
    EXPECT_EQ(post(move, body, everything).status, 400U) << body;
  }
  EXPECT_EQ(post(move, R"({"queue": "root.none"})", everything).status, 404U);
  EXPECT_EQ(post(ours + "/application/none/move", there, everything).status, 404U);
  EXPECT_EQ(post(move + "?queue=root.other", {}, everything).status, 409U) << "a parent";
  EXPECT_EQ(post(move + "?queue=root.small", {}, everything).status, 409U) << "where it is";
  const reply full = post(ours + "/application/app-1/move?queue=root.small", {}, everything);
  EXPECT_EQ(full.status, 409U);
  EXPECT_NE(full.body.find("queue root.small would have more than its max"), std::string::npos) << full.body;
  EXPECT_EQ(post(move + "?reason=room", there, everything).status, 200U);
  until(field + "/application/app-2", [](const reply &r) { return r.json().at("queueName") == "root.default"; });
  until(field + "/queue/root.small/applications", [](const reply &r) { return r.json().as_array().empty(); });
  until(field + "/queue/root.default",
        [](const reply &r) { return r.json().at("pendingResource").at("vcore") == 3000; });
  EXPECT_EQ(post(move + "?queue=root.small", {}, everything).status, 409U) << "its ask is larger than that may be";
  const auto told = audited();
  EXPECT_NE(told.at(told.size() - 2).find("move application app-2 of [rm]default, to root.default, because room: done"),
            std::string::npos)
      << told.at(told.size() - 2);
}

TEST_F(Actions, WhatIsMovedTakesEverythingAlong) {
  open();
  const uint64_t session = small_cluster();
  std::string text = queues;
  text.insert(text.find("    queues:"), "    reservation: {delay: 10ms}\n    preemption: {enabled: false}\n");
  const std::string wide = text + "          - name: wide\n            adminacl: olga\n";
  text = wide + "            limits: [{limit: hers, users: [alice], maxresources: {vcore: 3}}]\n";
  ASSERT_EQ(post("/tenon/v1/config", text, everything).status, 200U);
  interface::requests batch;
  batch.gang("gang", {{"vcore", 2000}});
  batch.ask({.application = "gang", .key = "holder", .max_allocations = 2, .task_group = "tg", .placeholder = true});
  submit(session, batch);
  until(field + "/application/gang", [](const reply &r) {
    return r.status == 200 && r.json().as_object().contains("allocations") &&
           r.json().at("allocations").as_array().size() == 2;
  });
  // In all there is room for it, and on no node.
  interface::requests large;
  large.node("node-3", {{"vcore", 3000}});
  large.ask({.application = "gang", .key = "large", .resources = {{"vcore", 4000}}});
  submit(session, large);
  const reply gang =
      until(field + "/application/gang", [](const reply &r) { return r.json().as_object().contains("reservations"); });
  const std::string move = ours + "/application/gang/move?queue=root.wide";
  EXPECT_EQ(post(ours + "/application/app-1/move?queue=root.wide", {}, everything).status, 200U);
  const reply beyond = post(move, {}, everything);
  EXPECT_EQ(beyond.status, 409U);
  EXPECT_NE(beyond.body.find("beyond the limit of alice in queue root.wide"), std::string::npos) << beyond.body;
  ASSERT_EQ(post("/tenon/v1/config", wide, everything).status, 200U);
  EXPECT_EQ(post(move, {}, everything).status, 200U);
  const reply after =
      until(field + "/application/gang", [](const reply &r) { return r.json().at("queueName") == "root.wide"; });
  for (const char *what : {"allocations", "placeholderData", "reservations", "hasReserved"}) {
    EXPECT_EQ(after.json().at(what), gang.json().at(what)) << what;
  }
  const json::value here = get(field + "/queue/root.default").json(), there = get(field + "/queue/root.wide").json();
  EXPECT_EQ(there.at("allocatedResource").at("vcore"), 5000);
  EXPECT_EQ(there.at("pendingResource").at("vcore"), 4000);
  EXPECT_FALSE(here.as_object().contains("allocatedResource")) << here;
  const std::string used = get(field + "/usage/user/alice").body;
  EXPECT_NE(used.find("root.wide"), std::string::npos) << used;
  EXPECT_EQ(used.find("root.default"), std::string::npos) << used;
  expect_recorded("root", "move application gang", "gang", "done");
}

TEST_F(Actions, ChangeTheConfiguration) {
  open();
  small_cluster();
  std::string text = queues;
  text.replace(text.find("vcore: 2}"), 9, "vcore: 5}");
  EXPECT_EQ(post("/tenon/v1/config", text, olga).status, 403U);
  EXPECT_EQ(post("/tenon/v1/config", "partitions: nonsense", everything).status, 400U);
  EXPECT_EQ(post("/tenon/v1/config?policyGroup=none", text, everything).status, 404U);
  const reply done = post("/tenon/v1/config", text, everything);
  EXPECT_EQ(done.status, 200U) << done.body;
  EXPECT_EQ(done.json().at("revision"), 2);
  EXPECT_NE(done.body.find("kept in memory alone"), std::string::npos) << done.body;
  until(field + "/queue/root.small", [](const reply &r) { return r.json().at("maxResource").at("vcore") == 5000; });
  EXPECT_EQ(post("/tenon/v1/reload?rm=rm", {}, everything).status, 400U);
  EXPECT_EQ(post("/tenon/v1/reload?policyGroup=none", {}, everything).status, 400U);
  const reply older = post("/tenon/v1/reload", {}, everything);
  EXPECT_EQ(older.status, 409U);
  EXPECT_NE(older.body.find("revision 2, which root (rest 127.0.0.1) sent"), std::string::npos) << older.body;
  const reply forced = post("/tenon/v1/reload?force=true", {}, everything);
  EXPECT_EQ(forced.status, 200U);
  EXPECT_EQ(forced.json().at("revision"), 3) << forced.body;
  EXPECT_NE(forced.body.find("replaced revision 2"), std::string::npos) << forced.body;
  until(field + "/queue/root.small", [](const reply &r) { return r.json().at("maxResource").at("vcore") == 2000; });
  EXPECT_EQ(send(port_, "PUT", "/tenon/v1/loglevel/debug", {}, {{"Authorization", std::string("Bearer ") + everything}})
                .status,
            200U);
  EXPECT_EQ(send(port_, "PUT", "/tenon/v1/loglevel/loud", {}, {{"Authorization", std::string("Bearer ") + everything}})
                .status,
            400U);
}

TEST_F(Actions, ReadingMayWantATokenToo) {
  open({"token_to_read: true"});
  EXPECT_EQ(get("/ws/v1/partitions").status, 401U);
  EXPECT_EQ(get("/ws/v1/partitions", {{"Authorization", std::string("Bearer ") + olga}}).status, 200U);
}

TEST_F(Actions, WhatWentWrongIsWellAgainAWhileLater) {
  health_memory_ = std::chrono::seconds(5);
  open();
  const uint64_t session = small_cluster();
  interface::requests batch;
  batch.node("node-1", {{"vcore", -1}});
  submit(session, batch);
  const auto warns = [](const std::string &check, bool yes) {
    return [check, yes](const reply &r) {
      const json::value body = r.json();
      for (const json::value &one : body.at("HealthChecks").as_array())
        if (one.at("Name").as_string() == check) return one.at("Succeeded").as_bool() != yes;
      return false;
    };
  };
  const std::string health = "/ws/v1/scheduler/healthcheck";
  const reply ill = until(health, warns("Failed nodes", true));
  EXPECT_NE(ill.body.find("warning: node node-1 of partition [rm]default was refused lately: "), std::string::npos)
      << ill.body;
  EXPECT_TRUE(ill.json().at("Healthy").as_bool()) << "it goes on: " << ill.body;
  until(health, warns("Failed nodes", false));
  EXPECT_EQ(rm_.signal(session, TENON_RM_LOST), TENON_OK);
  const reply lost = until(health, warns("Resource managers", true));
  EXPECT_NE(lost.body.find("warning: rm is away"), std::string::npos) << lost.body;
  EXPECT_TRUE(lost.json().at("Healthy").as_bool()) << lost.body;
  enter();
  until(health, warns("Resource managers", false));
}

TEST_F(Actions, MetricsTellWhatWaitsAndWhoIsThere) {
  open();
  const uint64_t session = small_cluster();
  const std::string body = get("/ws/v1/metrics").body;
  for (const char *line : {
           "tenon_queue_pending_allocations{partition=\"[rm]default\",queue=\"root.small\"} 1\n",
           "tenon_queue_pending_allocations{partition=\"[rm]default\",queue=\"root.default\"} 0\n",
           "tenon_queue_waiting_allocations{partition=\"[rm]default\",queue=\"root.small\",reason=\"headroom of vcore "
           "in "
           "queue root.small\"} 1\n",
           "tenon_queue_oldest_wait_seconds{partition=\"[rm]default\",queue=\"root.default\"} 0\n",
           "tenon_queue_waiting_seconds_count{partition=\"[rm]default\",queue=\"root.default\"} 3\n",
           "tenon_queue_waiting_seconds_bucket{partition=\"[rm]default\",queue=\"root.default\",le=\"+Inf\"} 3\n",
           "tenon_queue_reservations{partition=\"[rm]default\",queue=\"root.small\"} 0\n",
           "tenon_rm_connected{rm=\"rm\"} 1\n",
           "tenon_health{check=\"Resource managers\"} 1\n",
           "tenon_build_info{compiler=\"",
       }) {
    EXPECT_NE(body.find(line), std::string::npos) << line << "\n" << body;
  }
  const auto shows = [](const std::string &line) {
    return [line](const reply &r) { return r.body.find(line) != std::string::npos; };
  };
  // What waits gets older, and reading is a turn of the scheduler.
  const std::regex waits("tenon_queue_oldest_wait_seconds\\{[^}]*root.small\"\\} (0\\.[0-9]*)?[1-9]");
  until("/ws/v1/metrics", [&](const reply &r) { return std::regex_search(r.body, waits); });
  const auto turns = [](const std::string &now) {
    return std::stod(now.substr(now.find("\ntenon_turns_total ") + 19));
  };
  const double before = turns(get("/ws/v1/metrics").body);
  until("/ws/v1/metrics", [&](const reply &r) { return turns(r.body) > before; });
  EXPECT_EQ(rm_.signal(session, TENON_RM_LOST), TENON_OK);
  until("/ws/v1/metrics", shows("tenon_rm_connected{rm=\"rm\"} 0\n"));
  until("/ws/v1/metrics", shows("tenon_health{check=\"Resource managers\"} 0\n"));
}

TEST_F(Actions, MetricsCountGangsThatAreGivenUp) {
  open();
  const uint64_t session = enter();
  interface::requests batch;
  batch.node("node-1", {{"vcore", 4000}}).gang("gang", {{"vcore", 8000}}, "soft", 1000);
  batch.ask(
      {.application = "gang", .key = "place", .resources = {{"vcore", 8000}}, .task_group = "g", .placeholder = true});
  submit(session, batch);
  const reply after = until("/ws/v1/metrics", [](const reply &r) {
    return r.body.find("tenon_queue_gang_timeouts_total{partition=\"[rm]default\",queue=\"root.default\"} 1\n") !=
           std::string::npos;
  });
  // Placeholders are no waits.
  EXPECT_NE(after.body.find("tenon_queue_waiting_seconds_count{partition=\"[rm]default\",queue=\"root.default\"} 0\n"),
            std::string::npos)
      << after.body;
}

TEST_F(Actions, MetricsCountNodesThatAreKept) {
  queues_yaml_ = queues;
  queues_yaml_.insert(queues_yaml_.find("    queues:"), "    reservation: {delay: 10ms}\n");
  open();
  const uint64_t session = small_cluster();
  // In all there is room for it, and on no node.
  submit(session, interface::requests().ask({.application = "app-1", .key = "wide", .resources = {{"vcore", 3000}}}));
  const std::string of = "{partition=\"[rm]default\",queue=\"root.default\"} 1\n";
  until("/ws/v1/metrics", [&](const reply &r) {
    return r.body.find("tenon_queue_reservations" + of) != std::string::npos &&
           r.body.find("tenon_queue_reservations_total" + of) != std::string::npos;
  });
}

TEST_F(Actions, MetricsCountWhatHadToGiveWay) {
  queues_yaml_ = R"(
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: rich
          - name: poor
            resources: {guaranteed: {vcore: 2}}
            properties: {preemption.delay: 1s}
)";
  open();
  const uint64_t session = enter();
  interface::requests full;
  full.node("node-1", {{"vcore", 4000}}).application("rich", "root.rich").application("poor", "root.poor");
  full.ask({.application = "rich", .key = "runs", .max_allocations = 4});
  submit(session, full);
  until("/ws/v1/partitions", [](const reply &r) { return r.json().at(0).at("totalContainers") == 4; });
  submit(session, interface::requests().ask({.application = "poor", .key = "claims", .may_preempt_others = true}));
  const reply after = until("/ws/v1/metrics", [](const reply &r) {
    return r.body.find("tenon_queue_preemptions_total{partition=\"[rm]default\",queue=\"root.rich\"} 1\n") !=
           std::string::npos;
  });
  EXPECT_EQ(after.body.find("tenon_queue_preemptions_total{partition=\"[rm]default\",queue=\"root.poor\"} 1\n"),
            std::string::npos)
      << after.body;
}

TEST_F(Actions, MetricsAreAsPrometheusWantsThem) {
  open();
  small_cluster();
  const reply r = get("/ws/v1/metrics");
  ASSERT_EQ(r.status, 200U) << r.body;
  for (const char *name :
       {"yunikorn_scheduler_container_allocation_attempt_total{state=\"allocated\"} 3",
        "yunikorn_scheduler_application_submission_total{result=\"rejected\"} 1",
        "yunikorn_queue_resource{queue=\"root.small\",resource=\"vcore\",state=\"max\"} 2000",
        "yunikorn_scheduler_node{state=\"active\"} 2", "tenon_module_calls_total{module=\"tenon.rest\"}",
        "yunikorn_scheduler_vcore_node_usage_total{range=\"(40%,50%]\"} 2"}) {
    EXPECT_NE(r.body.find(name), std::string::npos) << name << "\n" << r.body;
  }
  // Every family is on the page, and every family of the page is served but those of its section "Absent".
  std::ifstream page(std::string(TENON_SOURCE_DIR) + "/docs/metrics.md");
  std::set<std::string> always, sometimes;
  bool may_be_absent = false;
  for (std::string line; std::getline(page, line) && !line.starts_with("## Exceptions");) {
    may_be_absent = may_be_absent || line.starts_with("## Absent");
    if (line.starts_with("| `")) (may_be_absent ? sometimes : always).insert(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_FALSE(always.empty());
  std::set<std::string> served;
  std::istringstream lines(r.body);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("# TYPE ")) continue;
    std::string name = line.substr(7, line.find(' ', 7) - 7);
    if (name.ends_with("_node_usage_total")) name = "yunikorn_scheduler_<resource>_node_usage_total";
    served.insert(name);
  }
  for (const std::string &name : served) {
    EXPECT_TRUE(always.contains(name) || sometimes.contains(name)) << "add a row for " << name << " to docs/metrics.md";
  }
  for (const std::string &name : always) {
    EXPECT_TRUE(served.contains(name)) << name << " is not served; remove its row from docs/metrics.md, or move the "
                                       << "row to the section about what may be absent";
  }
  if (std::system("command -v promtool > /dev/null") != 0)
    GTEST_SKIP() << "promtool (package prometheus) is not installed";
  const std::string file = (folder_ / "metrics").string(), said = (folder_ / "said").string();
  std::ofstream(file) << r.body;
  const int status = std::system(("promtool check metrics < " + file + " > " + said + " 2>&1").c_str());
  std::stringstream complaints;
  complaints << std::ifstream(said).rdbuf();
  // Names of the field that its linter does not like: they are what dashboards ask for.
  std::string line, left;
  while (std::getline(complaints, line)) {
    if (line.starts_with("yunikorn_")) continue;
    left += line + "\n";
  }
  EXPECT_EQ(left, "") << "status " << status;
}

}  // namespace
}  // namespace tenon::rest::testing
