// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of applications that are moved to another queue: where they may go, and what goes along.
#include "scene.hpp"

namespace tenon::testing {
namespace {

const ask_options two_placeholders{.count = 2, .task_group = "tg", .placeholder = true};

template <class T>
class RulesOfMoves : public scene<T> {
 protected:
  // A node of 10 vcores; "app" in root.leaf has 4 of them and waits for a node for 8.
  void begin(std::vector<queue_config> others, queue_config leaf = make_queue("leaf")) {
    others.insert(others.begin(), std::move(leaf));
    this->start(std::move(others));
    this->add("node-1", {{"vcore", 10}});
    this->add_app("app");
    this->ask("app", "has", {{"vcore", 2}}, {.count = 2});
    this->ask("app", "wants", {{"vcore", 8}});
    EXPECT_EQ(this->placed().size(), 2U);
  }
  std::string where(const std::string &app = "app") { return this->app(app)->queue; }
  void expect_refused(const std::string &to, const std::string &app = "app") {
    const std::string before = where(app);
    EXPECT_THAT(this->move(app, to), IsEmpty());
    EXPECT_EQ(where(app), before) << to;
  }
  void expect_moved(const std::string &to, const std::string &app = "app") {
    EXPECT_THAT(this->move(app, to), IsEmpty());
    EXPECT_EQ(where(app), to);
  }
};
TYPED_TEST_SUITE(RulesOfMoves, schedulers);

TYPED_TEST(RulesOfMoves, WhatItHasAndAsksForIsCountedInTheNewQueue) {
  this->begin({make_queue("above", {make_queue("other")})});
  this->expect_moved("root.above.other");
  for (const std::string path : {"root.above.other", "root.above", "root"}) {
    EXPECT_EQ(this->queue_at(path)->allocated, (amount_map{{"vcore", 4}})) << path;
    EXPECT_EQ(this->queue_at(path)->pending, (amount_map{{"vcore", 8}})) << path;
    EXPECT_EQ(this->queue_at(path)->running_apps, 1U) << path;
  }
  EXPECT_EQ(this->queue_at("root.leaf")->allocated, amount_map());
  EXPECT_EQ(this->queue_at("root.leaf")->pending, amount_map());
  EXPECT_EQ(this->queue_at("root.leaf")->running_apps, 0U);
  EXPECT_EQ(this->app("app")->state, application_state::running);
  this->add("node-2", {{"vcore", 8}});
  EXPECT_THAT(this->placed(), ElementsAre("app/wants#3 on node-2"));
  this->give_back("app", "");
  EXPECT_EQ(this->queue_at("root.above")->allocated, amount_map());
}

TYPED_TEST(RulesOfMoves, ItGoesToAnActiveLeafOfItsUserAndNowhereElse) {
  queue_config closed = make_queue("closed"), held = make_queue("held", {make_queue("leaf")});
  cluster_config c = make_cluster({make_queue("leaf"), closed, held, make_queue("other")});
  partition_config &p = c.partitions[0];
  p.root.submit_acl = "";
  for (queue_config &q : p.root.queues) q.submit_acl = q.name == "closed" ? "somebody" : "*";
  this->start(c);
  this->add_app("app");
  this->turn("root.held", object_event::stop);
  for (const char *path : {"", "root", "root.held", "root.none", "root.leaf", "ROOT.other", "root.closed"}) {
    this->expect_refused(path);
  }
  this->expect_refused("root.held.leaf");
  EXPECT_THAT(this->move("nobody", "root.other"), IsEmpty());
  this->expect_moved("root.other");
  this->turn("root.held", object_event::start);
  this->expect_moved("root.held.leaf");
}

TYPED_TEST(RulesOfMoves, OneThatEndsStays) {
  this->start({make_queue("leaf"), make_queue("other")});
  this->add("node-1", {{"vcore", 1}});
  for (const std::string id : {"fails", "completes"}) {
    this->add_app(id);
    this->ask(id, "a", {{"vcore", 1}});
    this->schedule(9);
    if (id == "completes") this->withdraw(id, "");
  }
  this->kill("fails", "enough");
  EXPECT_EQ(this->app("fails")->state, application_state::failing);
  EXPECT_EQ(this->app("completes")->state, application_state::completing);
  this->expect_refused("root.other", "fails");
  this->expect_refused("root.other", "completes");
}

TYPED_TEST(RulesOfMoves, TheNewQueueMustHaveRoomForWhatItHasAndForEachAsk) {
  queue_config narrow = make_queue("narrow", {make_queue("leaf")});
  queue_config low = make_queue("low"), other = make_queue("other");
  narrow.max = {{"vcore", 9}};
  low.max = {{"vcore", 7}};
  other.max = {{"vcore", 8}, {"memory", 0}};
  this->begin({narrow, low, other});
  this->add("node-2", {{"vcore", 6}});
  this->add_app("neighbour", {.queue = "root.narrow.leaf"});
  this->ask("neighbour", "a", {{"vcore", 6}});
  EXPECT_EQ(this->placed().size(), 1U);
  this->expect_refused("root.narrow.leaf");  // 6 and 4 are more than 9
  this->expect_refused("root.low");          // 8 are never placed
  this->give_back("neighbour", "a");
  this->expect_moved("root.narrow.leaf");
  this->withdraw("app", "wants");
  this->expect_moved("root.low");
  this->expect_moved("root.other");
}

TYPED_TEST(RulesOfMoves, AParentOfBothCountsNothingTwice) {
  queue_config both = make_queue("both", {make_queue("a"), make_queue("b")});
  both.max = {{"vcore", 5}};
  both.max_applications = 1;
  both.limits = {make_limit({"*"}, {}, {{"vcore", 4}}, 1), make_limit({}, {"testgroup"}, {{"vcore", 4}}, 1)};
  this->start({both});
  this->add("node-1", {{"vcore", 10}});
  this->add_app("app", {.queue = "root.both.a"});
  this->ask("app", "has", {{"vcore", 4}});
  EXPECT_EQ(this->placed().size(), 1U);
  this->expect_moved("root.both.b");
  EXPECT_EQ(this->queue_at("root.both")->allocated, (amount_map{{"vcore", 4}}));
  EXPECT_EQ(this->queue_at("root.both")->running_apps, 1U);
}

TYPED_TEST(RulesOfMoves, MaxapplicationsCountsItThereAndLetsAnotherGoHere) {
  queue_config leaf = make_queue("leaf"), full = make_queue("full"), other = make_queue("other");
  leaf.max_applications = full.max_applications = other.max_applications = 1;
  this->start({leaf, full, other});
  this->add("node-1", {{"vcore", 10}});
  this->add_app("next", {.queue = "root.full"});
  this->add_app("app");
  this->add_app("waits");
  for (const std::string id : {"next", "app", "waits"}) this->ask(id, "a", {{"vcore", 1}});
  EXPECT_EQ(this->placed().size(), 2U);
  this->expect_refused("root.full");
  this->expect_moved("root.other");
  this->add_app("behind", {.queue = "root.other"});
  this->ask("behind", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("waits/a#3 on node-1"));
  // One that does not run yet goes where it waits.
  this->add_app("late");
  this->ask("late", "a", {{"vcore", 1}});
  this->expect_moved("root.full", "late");
  EXPECT_THAT(this->placed(), IsEmpty());
}

TYPED_TEST(RulesOfMoves, LimitsOfUserAndGroupHoldForWhatItHas) {
  queue_config user = make_queue("user"), group = make_queue("group"), few = make_queue("few");
  user.limits = {make_limit({"testuser"}, {}, {{"vcore", 3}})};
  group.limits = {make_limit({}, {"testgroup"}, {{"vcore", 3}})};
  few.limits = {make_limit({"*"}, {}, {}, 1)};
  this->begin({user, group, few});
  this->expect_refused("root.user");
  this->expect_refused("root.group");
  this->expect_moved("root.few");
  this->give_back("app", "has", termination::stopped_by_rm, release_what::allocations, 1);
  this->withdraw("app", "wants");
  this->add_app("second");
  this->ask("second", "a", {{"vcore", 1}});
  EXPECT_EQ(this->placed().size(), 1U);
  this->expect_refused("root.few", "second");
  this->expect_moved("root.group");
  this->expect_moved("root.user");
}

TYPED_TEST(RulesOfMoves, UsageOfUserAndGroupFollows) {
  queue_config other = make_queue("other");
  other.limits = {make_limit({}, {"testgroup"}, {{"vcore", 9}})};
  this->begin({other});
  EXPECT_EQ(this->look().groups.size(), 0U);
  this->expect_moved("root.other");
  const partition_snapshot now = this->look();
  ASSERT_EQ(now.users.size(), 2U);
  ASSERT_EQ(now.groups.size(), 2U);
  for (const auto *all : {&now.users, &now.groups}) {
    EXPECT_EQ(all->at(0).queue, "root");
    EXPECT_EQ(all->at(1).queue, "root.other");
    EXPECT_EQ(all->at(1).usage, (amount_map{{"vcore", 4}}));
  }
  this->expect_moved("root.leaf");
  EXPECT_EQ(this->look().groups.size(), 0U);
}

TYPED_TEST(RulesOfMoves, WhatWaitedForItsRoomOrItsLimitGetsIt) {
  queue_config leaf = make_queue("leaf");
  leaf.max = {{"vcore", 8}};
  this->begin({make_queue("other")}, leaf);
  this->add("node-2", {{"vcore", 9}});
  this->add_app("next");
  this->ask("next", "a", {{"vcore", 6}});
  EXPECT_THAT(this->placed(), IsEmpty());
  this->expect_moved("root.other");
  EXPECT_THAT(this->placed(), ElementsAre("next/a#3 on node-2"));
}

TYPED_TEST(RulesOfMoves, TheNewQueueSaysWhenItsAsksHaveTheirTurn) {
  queue_config first = make_queue("first");
  first.properties["priority.offset"] = "5";
  this->start({make_queue("leaf"), first});
  this->add("node-1", {{"vcore", 2}});
  this->add_app("stays");
  this->add_app("app");
  this->ask("stays", "a", {{"vcore", 1}}, {.count = 2});
  this->ask("app", "a", {{"vcore", 1}});
  this->expect_moved("root.first");
  EXPECT_EQ(this->queue_at("root.first")->current_priority, 5);
  EXPECT_THAT(this->placed(), ElementsAre("app/a#1 on node-1", "stays/a#2 on node-1"));
}

TYPED_TEST(RulesOfMoves, ItsPlaceAmongTheApplicationsIsBySubmission) {
  this->start({make_queue("leaf"), make_queue("other")});
  this->add("node-1", {{"vcore", 3}});
  this->add_app("old");
  this->add_app("young", {.queue = "root.other"});
  this->ask("young", "a", {{"vcore", 1}});
  this->ask("old", "a", {{"vcore", 1}});
  this->expect_moved("root.other", "old");
  EXPECT_THAT(this->placed(), ElementsAre("old/a#1 on node-1", "young/a#2 on node-1"));
}

TYPED_TEST(RulesOfMoves, AStoppedQueueCanBeLeft) {
  this->start({make_queue("leaf"), make_queue("other")});
  this->add("node-1", {{"vcore", 3}});
  this->add_app("app");
  this->ask("app", "a", {{"vcore", 1}});
  this->turn("root.leaf", object_event::stop);
  EXPECT_THAT(this->placed(), IsEmpty());
  this->expect_moved("root.other");
  EXPECT_THAT(this->placed(), ElementsAre("app/a#1 on node-1"));
}

TYPED_TEST(RulesOfMoves, ADynamicQueueThatItLeavesGoes) {
  queue_config people = make_queue("people");
  people.parent = true;
  cluster_config c = make_cluster({people, make_queue("other")});
  c.partitions[0].placement_rules.emplace_back().name = "provided";
  c.partitions[0].placement_rules[0].create = true;
  this->start(c);
  this->add_app("app", {.queue = "root.people.ann"});
  this->add_app("guest", {.queue = "root.other"});
  this->expect_refused("root.people.bob", "guest");
  this->expect_moved("root.people.ann", "guest");
  this->expect_moved("root.other", "guest");
  this->expect_moved("root.other");
  EXPECT_TRUE(this->queue_at("root.people.ann"));
  this->wait(60 * second);
  EXPECT_FALSE(this->queue_at("root.people.ann"));
}

TYPED_TEST(RulesOfMoves, AGangGoesWithItsPlaceholdersWhereGangsMayRun) {
  queue_config fair = make_queue("fair"), small = make_queue("small");
  fair.properties["application.sort.policy"] = "fair";
  small.max = {{"vcore", 3}};
  this->start({make_queue("leaf"), fair, small, make_queue("other")});
  this->add("node-1", {{"vcore", 5}});
  this->add_app("gang", {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"vcore", 4}}});
  this->ask("gang", "ph", {{"vcore", 2}}, two_placeholders);
  this->ask("gang", "real", {{"vcore", 2}}, {.task_group = "tg"});
  this->schedule(2);
  this->expect_refused("root.fair", "gang");
  this->expect_refused("root.small", "gang");
  this->schedule(1);
  EXPECT_EQ(this->app("gang")->allocations.at(0).replaced_by, "real");
  this->expect_moved("root.other", "gang");
  EXPECT_EQ(this->queue_at("root.other")->allocated, (amount_map{{"vcore", 4}}));
  EXPECT_THAT(this->give_back("gang", "ph", termination::placeholder_replaced, release_what::allocations, 1),
              ElementsAre("allocated gang/real#3 on node-1"));
  // The other placeholder's time is still that of its gang.
  EXPECT_THAT(this->wait(60 * second), ::testing::Contains(HasSubstr("released gang/ph#2 on node-1 TIMEOUT")));
}

TYPED_TEST(RulesOfMoves, WhatIsProposedStaysSo) {
  this->start(make_cluster({make_queue("leaf"), make_queue("other")}), second);
  this->add("node-1", {{"vcore", 10}});
  this->add_app("app");
  this->ask("app", "a", {{"vcore", 4}});
  this->schedule();
  this->expect_moved("root.other");
  EXPECT_EQ(this->queue_at("root.other")->allocated, (amount_map{{"vcore", 4}}));
  EXPECT_THAT(this->accept(1), ElementsAre("allocated app/a#1 on node-1", "application_state app Starting"));
  EXPECT_EQ(this->queue_at("root.other")->running_apps, 1U);
}

TYPED_TEST(RulesOfMoves, AReservationGoesAlong) {
  cluster_config c = make_cluster({make_queue("leaf"), make_queue("other")});
  c.partitions[0].preemption_enabled = false;
  this->start(c);
  this->add("node-1", {{"vcore", 10}});
  this->add_app("app");
  this->ask("app", "small", {{"vcore", 6}});
  this->schedule();
  this->add("node-2", {{"vcore", 6}});
  this->ask("app", "big", {{"vcore", 8}});
  this->wait(2 * second);
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved app/big on node-1"));
  this->expect_moved("root.other");
  EXPECT_THAT(this->node_of("node-1")->reservations, ElementsAre("app/big"));
  this->give_back("app", "small");
  EXPECT_THAT(this->schedule(1), ElementsAre("unreserved app/big on node-1: placed", "allocated app/big#2 on node-1",
                                             "application_state app Running"));
  EXPECT_EQ(this->queue_at("root.other")->allocated, (amount_map{{"vcore", 8}}));
}

TYPED_TEST(RulesOfMoves, ItsVictimsStayUnderWayAndSoDoThoseOfOthersInIt) {
  queue_config ours = make_queue("ours");
  ours.guaranteed = {{"vcore", 4}};
  ours.properties["preemption.delay"] = "1s";
  cluster_config c = make_cluster({ours, make_queue("theirs"), make_queue("other")});
  c.partitions[0].tuning.reservation_enabled = false;
  this->start(c);
  this->add("node-1", {{"vcore", 4}});
  this->add_app("them", {.queue = "root.theirs"});
  this->add_app("us", {.queue = "root.ours"});
  this->ask("them", "a", {{"vcore", 2}}, {.count = 2});
  EXPECT_EQ(this->placed().size(), 2U);
  this->ask("us", "b", {{"vcore", 2}}, {.preempt_other = true});
  this->wait(second);
  EXPECT_THAT(this->schedule(9),
              ElementsAre("reserved us/b on node-1", HasSubstr("released them/a#2 on node-1 PREEMPTED_BY_SCHEDULER")));
  this->expect_moved("root.other", "us");
  this->expect_moved("root.ours", "them");
  EXPECT_EQ(this->queue_at("root.ours")->preempting, (amount_map{{"vcore", 2}}));
  EXPECT_EQ(this->queue_at("root.theirs")->preempting, amount_map());
  this->give_back("them", "a", termination::preempted_by_scheduler, release_what::allocations, 0);
  EXPECT_EQ(this->queue_at("root.ours")->preempting, amount_map());
  EXPECT_THAT(this->schedule(1), ::testing::Contains(HasSubstr("allocated us/b#3 on node-1")));
  EXPECT_EQ(this->queue_at("root.other")->allocated, (amount_map{{"vcore", 2}}));
}

TYPED_TEST(RulesOfMoves, ThePlaceOfOneThatHasNothingGoesAlong) {
  queue_config there = make_queue("there");
  there.limits = {make_limit({"*"}, {}, {}, 1)};
  this->start({make_queue("here"), there});
  this->add("node-1", {{"vcore", 9}});
  for (const char *id : {"app-1", "app-2"}) {
    this->add_app(id, {.queue = "root.here"});
    this->ask(id, "a", {{"vcore", 1}});
    this->ask(id, "b", {{"vcore", 99}});
    this->placed();
    this->give_back(id, "a");
  }
  this->move("app-1", "root.there");
  EXPECT_EQ(this->app("app-1")->queue, "root.there");
  this->move("app-2", "root.there");
  EXPECT_EQ(this->app("app-2")->queue, "root.here") << "app-1 runs there for the user, with nothing allocated";
  this->withdraw("app-1", "b");
  this->move("app-2", "root.there");
  EXPECT_EQ(this->app("app-2")->queue, "root.there");
}

}  // namespace
}  // namespace tenon::testing
