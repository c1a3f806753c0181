// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records of what a kernel does, each trigger at work, and the table of docs/events.md against that of the code.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "hub_fixture.hpp"
#include "kernel/cluster.hpp"
#include "tenon/events/trigger.hpp"

namespace tenon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

// "APP app-1 - ADD APP_NEW": type, object, reference, change, detail; then resource and message where there are any.
std::string line(const seen_record &r) {
  const auto or_none = [](std::string_view text) { return text.empty() ? std::string("-") : std::string(text); };
  std::string out = std::string(events::type_name(r.type)) + ' ' + or_none(r.object) + ' ' + or_none(r.reference) +
                    ' ' + std::string(events::change_name(r.change)) + ' ' + or_none(events::detail_name(r.detail));
  for (const auto &[type, value] : r.resource) out += ' ' + type + ':' + std::to_string(value);
  if (!r.message.empty()) out += " '" + r.message + "'";
  return out;
}

class Records : public ::testing::Test {
 protected:
  void start(std::vector<queue_config> queues, std::vector<limit_config> limits = {}) {
    cluster_.emplace(std::move(queues), std::move(limits));
    listen();
  }
  void listen() { (*cluster_)->set_fact_listener(&hub_->listener()); }
  // What was recorded since the last call.
  std::vector<std::string> recorded() {
    EXPECT_TRUE(hub_->flush(30s));
    const auto all = sink_.all();
    std::vector<std::string> out;
    for (; seen_ < all.size(); ++seen_) out.push_back(line(all[seen_]));
    return out;
  }

  sink_in_test sink_;
  std::unique_ptr<events::event_hub> hub_ = started({sink_.listed()});
  std::optional<cluster> cluster_;
  size_t seen_ = 0;
};

TEST_F(Records, LifeOfAnApplication) {
  start({named_queue("a")});
  cluster_->add_node("n1", {{"memory", 100}});
  EXPECT_THAT(recorded(), ElementsAre("NODE n1 - ADD - memory:100 'Node added to the scheduler'",
                                      "QUEUE root - SET QUEUE_MAX memory:100"));
  cluster_->add_app("app-1", "root.a", "alice");
  EXPECT_THAT(recorded(), ElementsAre("APP app-1 - ADD APP_NEW", "QUEUE root.a app-1 ADD QUEUE_APP"));
  cluster_->ask("app-1", "k1", {{"memory", 30}});
  EXPECT_THAT(recorded(), ElementsAre("APP app-1 k1 ADD APP_REQUEST memory:30", "APP app-1 - SET APP_ACCEPTED"));
  cluster_->settle();
  EXPECT_THAT(recorded(), IsSupersetOf({"APP app-1 k1 ADD APP_ALLOC memory:30", "NODE n1 k1 ADD NODE_ALLOC memory:30",
                                        "USERGROUP alice root.a ADD UG_USER_RESOURCE memory:30"}));
  cluster_->give_back("app-1", "k1");
  EXPECT_THAT(
      recorded(),
      IsSupersetOf({"APP app-1 k1 REMOVE ALLOC_CANCEL memory:30", "NODE n1 k1 REMOVE NODE_ALLOC memory:30",
                    "USERGROUP alice root.a REMOVE UG_USER_RESOURCE memory:30", "APP app-1 - SET APP_COMPLETING"}));
  cluster_->run(remove_application{default_partition, "app-1"});
  EXPECT_THAT(recorded(), ElementsAre("APP app-1 - REMOVE -", "QUEUE root.a app-1 REMOVE QUEUE_APP"));
}

TEST_F(Records, RefusedApplication) {
  start({named_queue("a")});
  cluster_->add_app("app-1", "root.nowhere");
  EXPECT_THAT(recorded(), ElementsAre("APP app-1 - ADD APP_NEW", HasSubstr("APP app-1 - SET APP_REJECT '")));
}

TEST_F(Records, AskBeyondItsQueue_IsToldOnceForEachFlip) {
  start({named_queue("a", {{"memory", 50}})});
  cluster_->add_node("n1", {{"memory", 100}});
  cluster_->add_app("app-1", "root.a");
  cluster_->ask("app-1", "big", {{"memory", 40}});
  cluster_->settle();
  cluster_->ask("app-1", "more", {{"memory", 20}});
  (void)recorded();
  cluster_->run(inspect{});
  cluster_->run(inspect{});
  EXPECT_THAT(recorded(),
              ElementsAre("REQUEST more app-1 NONE - memory:20 'Request 'more' does not fit in queue 'root.a' "
                          "(requested map[memory:20], available map[memory:10])'"));
  cluster_->give_back("app-1", "big");
  (void)recorded();
  cluster_->run(inspect{});
  EXPECT_THAT(
      recorded(),
      ElementsAre("REQUEST more app-1 NONE - memory:20 'Request 'more' has become schedulable in queue 'root.a''"));
  cluster_->run(inspect{});
  EXPECT_THAT(recorded(), ElementsAre());
}

TEST_F(Records, UserBeyondHisLimit) {
  limit_config limit;
  limit.users = {"alice"};
  limit.max_resources = {{"memory", 10}};
  start({named_queue("a")}, {limit});
  cluster_->add_node("n1", {{"memory", 100}});
  cluster_->add_app("app-1", "root.a", "alice");
  cluster_->ask("app-1", "k", {{"memory", 20}});
  cluster_->settle();
  (void)recorded();
  cluster_->run(inspect{});
  EXPECT_THAT(recorded(),
              ElementsAre(HasSubstr("REQUEST k app-1 NONE - memory:20 'Request 'k' exceeds the available user "
                                    "quota (requested map[memory:20], available map[memory:10])'")));
}

TEST_F(Records, PredicatesThatRefuse_AreToldOnceIn15Seconds) {
  start({named_queue("a")});
  cluster_->add_node("n1", {{"memory", 100}}, {{"si/zone", "x"}});
  cluster_->add_app("app-1", "root.a");
  cluster_->ask("app-1", "k", {{"memory", 20}}, 0, {{"si/zone", "y"}});
  cluster_->settle();
  (void)recorded();
  cluster_->run(inspect{});
  cluster_->advance(14'000);
  cluster_->run(inspect{});
  const auto first = recorded();
  cluster_->advance(2'000);
  cluster_->run(inspect{});
  const auto second = recorded();
  ASSERT_THAT(first, ElementsAre(HasSubstr("REQUEST k app-1 NONE - memory:20 'Unschedulable request 'k': ")));
  EXPECT_THAT(first[0], HasSubstr(" (1x)'"));
  EXPECT_EQ(second, first);
}

TEST_F(Records, Nodes) {
  start({named_queue("a")});
  cluster_->add_node("n1", {{"memory", 100}});
  (void)recorded();
  cluster_->set_capacity("n1", {{"memory", 80}});
  EXPECT_THAT(recorded(), Contains("NODE n1 - SET NODE_CAPACITY memory:80"));
  cluster_->run(change_node{default_partition, "n1", static_cast<uint8_t>(node_event::drain)});
  EXPECT_THAT(recorded(), ElementsAre("NODE n1 - SET NODE_SCHEDULABLE 'schedulable: false'"));
  cluster_->undrain("n1");
  EXPECT_THAT(recorded(), ElementsAre("NODE n1 - SET NODE_SCHEDULABLE 'schedulable: true'"));
  cluster_->add_app("app-1", "root.a");
  cluster_->ask("app-1", "k", {{"memory", 20}});
  cluster_->settle();
  (void)recorded();
  cluster_->run(change_node{default_partition, "n1", static_cast<uint8_t>(node_event::decommission)});
  EXPECT_THAT(recorded(), IsSupersetOf({"NODE n1 - REMOVE NODE_DECOMISSION 'Node removed from the scheduler'",
                                        "APP app-1 k REMOVE ALLOC_NODEREMOVED memory:20"}));
}

TEST_F(Records, Configuration) {
  start({named_queue("a", {{"memory", 50}})});
  cluster_config changed = cluster_->config();
  queue_config &root = changed.partitions[0].root;
  root.queues[0].max = {{"memory", 60}};
  root.queues[0].guaranteed = {{"memory", 5}};
  limit_config limit;
  limit.users = {"alice"};
  limit.groups = {"dev"};
  limit.max_resources = {{"memory", 7}};
  root.queues[0].limits = {limit};
  root.queues.push_back(named_queue("b"));
  cluster_->configure(changed);
  EXPECT_THAT(recorded(),
              IsSupersetOf({"QUEUE root.a - SET QUEUE_MAX memory:60", "QUEUE root.a - SET QUEUE_GUARANTEED memory:5",
                            "USERGROUP alice root.a SET UG_USER_LIMIT memory:7",
                            "USERGROUP dev root.a SET UG_GROUP_LIMIT memory:7", "QUEUE root.b - ADD -"}));
  changed.partitions[0].root.queues[0].limits.clear();
  cluster_->configure(changed);
  EXPECT_THAT(recorded(),
              ElementsAre("USERGROUP alice root.a REMOVE UG_USER_LIMIT", "USERGROUP dev root.a REMOVE UG_GROUP_LIMIT"));
}

TEST_F(Records, ApplicationsBeyondTheMost_AreHeldUntilOneEnds) {
  queue_config a = named_queue("a");
  a.max_applications = 1;
  start({a});
  cluster_->add_node("n1", {{"memory", 100}});
  for (const std::string app : {"app-1", "app-2"}) {
    cluster_->add_app(app, "root.a");
    cluster_->ask(app, "k-" + app, {{"memory", 10}});
  }
  cluster_->settle();
  (void)recorded();
  cluster_->run(inspect{});
  cluster_->run(inspect{});
  EXPECT_THAT(recorded(), ElementsAre("APP app-2 - NONE APP_CANNOTRUN_QUEUE"));
  cluster_->give_back("app-1", "k-app-1");
  cluster_->run(remove_application{default_partition, "app-1"});
  cluster_->settle();
  EXPECT_THAT(recorded(),
              IsSupersetOf({"APP app-2 - NONE APP_RUNNABLE_QUEUE", "APP app-2 k-app-2 ADD APP_ALLOC memory:10"}));
}

TEST_F(Records, ApplicationOfALimitedGroup_CountsForIt) {
  limit_config limit;
  limit.groups = {"dev"};
  limit.max_resources = {{"memory", 50}};
  start({named_queue("a")}, {limit});
  cluster_->add_node("n1", {{"memory", 100}});
  const std::string_view groups[] = {"ops", "dev"};
  add_application c;
  c.partition = default_partition;
  c.application = "app-1";
  c.queue = "root.a";
  c.user = "alice";
  c.groups = groups;
  (void)recorded();
  cluster_->run(c);
  EXPECT_THAT(recorded(), Contains("USERGROUP dev app-1 SET UG_APP_LINK"));
  cluster_->ask("app-1", "k", {{"memory", 10}});
  cluster_->settle();
  EXPECT_THAT(recorded(), Contains("USERGROUP dev root.a ADD UG_GROUP_RESOURCE memory:10"));
  cluster_config without = cluster_->config();
  without.partitions[0].root.limits.clear();
  cluster_->configure(without);
  EXPECT_THAT(recorded(),
              ElementsAre("USERGROUP dev root REMOVE UG_GROUP_LIMIT", "USERGROUP dev app-1 REMOVE UG_APP_LINK",
                          "USERGROUP dev root.a REMOVE UG_GROUP_RESOURCE memory:10"));
}

TEST_F(Records, Reservation_IsOfItsNode) {
  start({named_queue("a")});
  cluster_->add_node("n1", {{"memory", 100}});
  cluster_->add_node("n2", {{"memory", 50}});  // too small, and still headroom
  cluster_->add_app("app-1", "root.a");
  cluster_->ask("app-1", "small", {{"memory", 60}});  // n1 alone has room
  cluster_->settle();
  cluster_->ask("app-1", "large", {{"memory", 80}});
  cluster_->settle();
  (void)recorded();
  cluster_->advance(10'000);
  cluster_->run(advance{});
  cluster_->settle();
  EXPECT_THAT(recorded(), ElementsAre("NODE n1 large ADD NODE_RESERVATION memory:80"));
  cluster_->give_back("app-1", "small");
  cluster_->settle();
  EXPECT_THAT(recorded(), IsSupersetOf({"NODE n1 large REMOVE NODE_RESERVATION memory:80",
                                        "APP app-1 large ADD APP_ALLOC memory:80"}));
}

TEST_F(Records, PreemptedAllocation_SaysForWhom) {
  queue_config poor = named_queue("poor");
  poor.guaranteed = {{"memory", 50}};
  start({poor, named_queue("rich")});
  cluster_->add_node("n1", {{"memory", 100}});
  cluster_->add_app("rich", "root.rich");
  cluster_->ask("rich", "first", {{"memory", 50}});
  cluster_->ask("rich", "second", {{"memory", 50}});
  cluster_->settle();
  cluster_->add_app("poor", "root.poor");
  const named_amount need[] = {{"memory", 50}};
  put_ask claim;
  claim.partition = default_partition;
  claim.application = "poor";
  claim.key = "claim";
  claim.resources = need;
  claim.allow_preempt_other = true;
  cluster_->run(claim);
  (void)recorded();
  cluster_->advance(60'000);
  cluster_->run(advance{});
  cluster_->settle();
  EXPECT_THAT(recorded(),
              Contains(::testing::MatchesRegex("REQUEST (first|second) rich NONE - 'Preempted by claim from "
                                               "application poor in root.poor'")));
}

TEST_F(Records, QueueAboveItsLoweredMax_IsBroughtDown) {
  queue_config a = named_queue("a", {{"memory", 100}});
  a.properties["quota.preemption.delay"] = "1s";
  start({a});
  cluster_config lowered = cluster_->config();
  lowered.partitions[0].quota_preemption_enabled = true;
  cluster_->configure(lowered);
  cluster_->add_node("n1", {{"memory", 100}});
  cluster_->add_app("app-1", "root.a");
  cluster_->ask("app-1", "k1", {{"memory", 10}});
  cluster_->ask("app-1", "k2", {{"memory", 10}});
  cluster_->settle();
  lowered.partitions[0].root.queues[0].max = {{"memory", 10}};
  cluster_->configure(lowered);
  (void)recorded();
  cluster_->advance(5'000);
  cluster_->run(advance{});
  EXPECT_THAT(
      recorded(),
      IsSupersetOf({
          HasSubstr("'Preempted by Quota change enforcement process in root.a'"),
          HasSubstr("QUEUE root.a - SET QUEUE_PREEMPTION memory:10 'Quota preemption: 1 allocations are released'"),
      }));
}

TEST_F(Records, PlaceholderTooSmall_SaysForWhichAsk) {
  start({named_queue("a")});
  cluster_->add_node("n1", {{"memory", 100}});
  cluster_->add_app("gang", "root.a");
  const auto ask = [&](std::string_view key, int64_t memory, bool placeholder) {
    const named_amount need[] = {{"memory", memory}};
    put_ask p;
    p.partition = default_partition;
    p.application = "gang";
    p.key = key;
    p.resources = need;
    p.task_group = "workers";
    p.placeholder = placeholder;
    cluster_->run(p);
    cluster_->settle();
  };
  ask("small", 10, true);
  (void)recorded();
  ask("real", 20, false);
  EXPECT_THAT(
      recorded(),
      Contains("REQUEST small gang NONE - memory:20 'Task group 'workers' in application 'gang': allocation resources "
               "'map[memory:20]' are not matching placeholder 'map[memory:10]' allocation with ID 'small''"));
}

TEST_F(Records, RequiredNodeWithoutVictims) {
  start({named_queue("a")});
  cluster_->add_node("n1", {{"memory", 100}});
  cluster_->add_node("n2", {{"memory", 100}});
  cluster_->add_app("app-1", "root.a");
  const named_amount need[] = {{"memory", 60}};
  put_ask p;
  p.partition = default_partition;
  p.application = "app-1";
  p.resources = need;
  p.required_node = "n1";
  for (const std::string_view key : {"first", "second"}) {
    p.key = key;
    cluster_->run(p);
  }
  (void)recorded();
  cluster_->settle();
  EXPECT_THAT(recorded(),
              Contains("REQUEST second app-1 NONE - memory:60 'Unschedulable request 'second' with required node "
                       "'n1', no preemption victim found'"));
}

TEST_F(Records, DynamicQueue_ComesAndGoes) {
  queue_config people = named_queue("people");
  people.parent = true;
  start({people});
  cluster_config with_rule = cluster_->config();
  with_rule.partitions[0].placement_rules.emplace_back().name = "provided";
  with_rule.partitions[0].placement_rules[0].create = true;
  cluster_->configure(with_rule);
  (void)recorded();
  cluster_->add_app("app-1", "root.people.alice");
  EXPECT_THAT(recorded(), Contains("QUEUE root.people.alice - ADD QUEUE_DYNAMIC"));
  cluster_->run(remove_application{default_partition, "app-1"});
  cluster_->advance(60'000);
  cluster_->run(advance{});
  EXPECT_THAT(recorded(), Contains("QUEUE root.people.alice - REMOVE QUEUE_DYNAMIC"));
}

TEST(Triggers, EveryFact_LeadsToRecordsThatAreCounted) {
  for (size_t kind = 0; kind < fact_kind_count; ++kind) {
    fact what;
    what.kind = static_cast<fact_kind>(kind);
    const auto rows = events::triggers_of(what.kind);
    what.group = "g";
    EXPECT_EQ(events::record_count(what), rows.size());
    what.group = {};
    const auto without = std::count_if(rows.begin(), rows.end(), [](const auto &row) { return !row.only_with_group; });
    EXPECT_EQ(events::record_count(what), static_cast<uint32_t>(without)) << name(what.kind);
  }
}

TEST(Triggers, Page_HasTheTableOfTheCode) {
  std::ifstream file(std::string(TENON_SOURCE_DIR) + "/docs/events.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str(), begin = "|---|---|---|---|---|---|---|---|---|\n", end = "<!-- /triggers -->";
  const size_t from = page.find(begin), to = page.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), events::trigger_table())
      << "bin/event_table prints the rows";
}

}  // namespace
}  // namespace tenon::testing
