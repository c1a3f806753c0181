// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records of what a kernel does and how often they come, and the table of docs/events.md against that of the code.
#include <gmock/gmock.h>

#include "../documents/written_pages.hpp"
#include "hub_fixture.hpp"
#include "kernel/cluster.hpp"
#include "tenon/events/trigger.hpp"

namespace tenon::testing {
namespace {

using namespace std::chrono_literals;
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
  EXPECT_THAT(recorded(),
              ElementsAre("APP app-1 k1 ADD APP_REQUEST memory:30", "APP app-1 - SET APP_ACCEPTED 'an ask was added'"));
  cluster_->settle();
  EXPECT_THAT(recorded(), IsSupersetOf({"APP app-1 k1 ADD APP_ALLOC memory:30", "NODE n1 k1 ADD NODE_ALLOC memory:30",
                                        "USERGROUP alice root.a ADD UG_USER_RESOURCE memory:30"}));
  cluster_->give_back("app-1", "k1");
  EXPECT_THAT(recorded(),
              IsSupersetOf({"APP app-1 k1 REMOVE ALLOC_CANCEL memory:30", "NODE n1 k1 REMOVE NODE_ALLOC memory:30",
                            "USERGROUP alice root.a REMOVE UG_USER_RESOURCE memory:30",
                            "APP app-1 - SET APP_COMPLETING 'nothing is pending or allocated'"}));
  cluster_->run(remove_application{default_partition, "app-1"});
  EXPECT_THAT(recorded(), ElementsAre("APP app-1 - REMOVE -", "QUEUE root.a app-1 REMOVE QUEUE_APP"));
}

TEST_F(Records, AskBeyondItsQueueIsToldOnceForEachFlip) {
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

TEST_F(Records, PredicatesThatRefuseAreToldOnceIn15Seconds) {
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

TEST_F(Records, ApplicationsBeyondTheMostAreHeldUntilOneEnds) {
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

TEST(Triggers, EveryFactLeadsToRecordsThatAreCounted) {
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

TEST(Triggers, PageHasTheTableOfTheCode) {
  const std::string head =
      "| when | type | object | reference | change | detail | resource | groupID | reason |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  EXPECT_TRUE(tenon::pages::has_part("docs/events.md", "triggers", head + events::trigger_table()));
}

}  // namespace
}  // namespace tenon::testing
