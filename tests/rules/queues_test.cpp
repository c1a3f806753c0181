// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of queues: order, headroom, priorities and limits.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
using RulesOfQueues = scene<T>;
TYPED_TEST_SUITE(RulesOfQueues, schedulers);

TYPED_TEST(RulesOfQueues, FairnessLooksAtTheGuaranteeFirst) {
  queue_config much = make_queue("much"), little = make_queue("little");
  much.guaranteed = {{"vcore", 6}};
  little.guaranteed = {{"vcore", 2}};
  this->start({much, little});
  this->add("node-1", {{"vcore", 8}});
  this->add_app("m", {.queue = "root.much"});
  this->add_app("l", {.queue = "root.little"});
  this->ask("m", "a", {{"vcore", 1}}, {.count = 8});
  this->ask("l", "a", {{"vcore", 1}}, {.count = 8});
  EXPECT_THAT(this->placed(), ElementsAre("m/a#1 on node-1", "l/a#2 on node-1", "m/a#3 on node-1", "m/a#4 on node-1",
                                          "m/a#5 on node-1", "l/a#6 on node-1", "m/a#7 on node-1", "m/a#8 on node-1"));
}

TYPED_TEST(RulesOfQueues, WithoutGuaranteeTheShareIsOfTheFairMax) {
  queue_config capped = make_queue("capped");
  capped.max = {{"vcore", 4}};
  this->start({capped, make_queue("free")});
  this->add("node-1", {{"vcore", 8}});
  this->add_app("c", {.queue = "root.capped"});
  this->add_app("f", {.queue = "root.free"});
  this->ask("c", "a", {{"vcore", 1}}, {.count = 8});
  this->ask("f", "a", {{"vcore", 1}}, {.count = 8});
  EXPECT_THAT(this->placed(), ElementsAre("c/a#1 on node-1", "f/a#2 on node-1", "f/a#3 on node-1", "c/a#4 on node-1",
                                          "f/a#5 on node-1", "f/a#6 on node-1", "c/a#7 on node-1", "f/a#8 on node-1"));
}

TYPED_TEST(RulesOfQueues, PriorityGoesBeforeShareUnlessDisabled) {
  queue_config on = make_queue("on", {make_queue("a"), make_queue("b")});
  queue_config off = make_queue("off", {make_queue("a"), make_queue("b")});
  off.properties["application.sort.priority"] = "disabled";
  this->start({on, off});
  this->add("node-1", {{"vcore", 8}});
  for (const std::string parent : {"on", "off"}) {
    this->add_app(parent + "-a", {.queue = "root." + parent + ".a"});
    this->add_app(parent + "-b", {.queue = "root." + parent + ".b"});
    this->ask(parent + "-a", "x", {{"vcore", 1}}, {.count = 2});
    this->ask(parent + "-b", "x", {{"vcore", 1}}, {.count = 2, .priority = 5});
    lines order;
    for (const std::string &line : this->placed()) order.push_back(line.substr(0, line.find('/')));
    const lines wanted =
        parent == "on" ? lines{"on-b", "on-b", "on-a", "on-a"} : lines{"off-b", "off-a", "off-b", "off-a"};
    EXPECT_EQ(order, wanted) << "shares first, then priority, where disabled";
  }
}

TYPED_TEST(RulesOfQueues, OffsetsAddUpAndAFenceHidesWhatIsInside) {
  queue_config added = make_queue("added", {make_queue("leaf")}), fenced = make_queue("fenced", {make_queue("leaf")});
  added.queues[0].properties["priority.offset"] = "3";
  added.properties["priority.offset"] = "-1";
  fenced.properties = {{"priority.offset", "7"}, {"priority.policy", "fence"}};
  this->start({added, fenced});
  this->add_app("a", {.queue = "root.added.leaf"});
  this->add_app("f", {.queue = "root.fenced.leaf"});
  EXPECT_EQ(this->queue_at("root")->current_priority, INT32_MIN);
  this->ask("a", "x", {{"vcore", 1}}, {.priority = 4});
  this->ask("f", "x", {{"vcore", 1}}, {.priority = 100});
  EXPECT_EQ(this->queue_at("root.added.leaf")->current_priority, 7);
  EXPECT_EQ(this->queue_at("root.added")->current_priority, 6);
  EXPECT_EQ(this->queue_at("root.fenced.leaf")->current_priority, 100);
  EXPECT_EQ(this->queue_at("root.fenced")->current_priority, 7);
  EXPECT_EQ(this->queue_at("root")->current_priority, 7);
  EXPECT_EQ(this->queue_at("root.fenced.leaf")->properties.at("priority.policy"), "default");
}

TYPED_TEST(RulesOfQueues, PolicyPriorityGoesByCreationWhereEqual) {
  cluster_config c = make_cluster({make_queue("a"), make_queue("b")});
  c.partitions[0].root.properties["queue.sort.policy"] = "priority";
  this->start(c);
  this->add("node-1", {{"vcore", 8}});
  this->add_app("a", {.queue = "root.a"});
  this->add_app("b", {.queue = "root.b"});
  this->ask("b", "x", {{"vcore", 1}});
  this->ask("a", "x", {{"vcore", 1}}, {.count = 2});
  EXPECT_THAT(this->placed(), ElementsAre("a/x#1 on node-1", "a/x#2 on node-1", "b/x#3 on node-1"));
}

TYPED_TEST(RulesOfQueues, MaxHoldsOnEveryLevelAndForItsTypesOnly) {
  queue_config parent = make_queue("parent", {make_queue("a"), make_queue("b")});
  parent.max = {{"vcore", 3}};
  parent.queues[0].max = {{"memory", 10}};
  this->start({parent});
  this->add("node-1", {{"gpu", 9}, {"memory", 90}, {"vcore", 9}});
  this->add_app("a", {.queue = "root.parent.a"});
  this->add_app("b", {.queue = "root.parent.b"});
  this->ask("a", "big", {{"memory", 11}});
  this->ask("a", "x", {{"gpu", 1}, {"memory", 5}, {"vcore", 1}}, {.count = 3});
  this->ask("b", "x", {{"gpu", 1}, {"vcore", 2}});
  EXPECT_THAT(this->placed(), ElementsAre("a/x#1 on node-1", "b/x#2 on node-1"));
}

TYPED_TEST(RulesOfQueues, WhoIsBeyondALimitKeepsNobodyBackInAStrictLeaf) {
  queue_config leaf = make_queue("a");
  leaf.max = {{"vcore", 4}};
  leaf.properties["queue.strict"] = "true";
  limit_config limit;
  limit.users = {"first"};
  limit.max_resources = {{"vcore", 2}};
  leaf.limits = {limit};
  this->start({leaf});
  this->add("node-1", {{"vcore", 90}});
  this->add_app("first", {.queue = "root.a", .user = "first"});
  this->add_app("second", {.queue = "root.a", .user = "second"});
  this->ask("first", "runs", {{"vcore", 1}});
  this->ask("second", "runs", {{"vcore", 2}});
  EXPECT_THAT(this->placed(), ElementsAre("first/runs#1 on node-1", "second/runs#2 on node-1"));
  this->ask("first", "large", {{"vcore", 2}});
  this->ask("second", "small", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("second/small#3 on node-1"));
}

TYPED_TEST(RulesOfQueues, WhoWaitsForANodeKeepsTheOrderOnceTheQueueHasTooLittle) {
  queue_config leaf = make_queue("a");
  leaf.max = {{"vcore", 10}};
  leaf.properties["queue.strict"] = "true";
  this->start({leaf});
  this->add("node-1", {{"vcore", 5}});
  this->add("node-2", {{"vcore", 5}});
  this->add_app("first", {.queue = "root.a"});
  this->add_app("second", {.queue = "root.a"});
  this->ask("first", "large", {{"vcore", 6}});
  this->ask("second", "small", {{"vcore", 2}}, {.count = 4});
  EXPECT_THAT(this->placed(),
              ElementsAre("second/small#1 on node-1", "second/small#2 on node-2", "second/small#3 on node-1"));
}

TYPED_TEST(RulesOfQueues, AGangThatWaitsToBeginIsFirstInAStrictLeaf) {
  queue_config leaf = make_queue("a");
  leaf.max = {{"memory", 10}, {"vcore", 10}};
  leaf.properties["queue.strict"] = "true";
  this->start({leaf});
  this->add("node-1", {{"memory", 90}, {"vcore", 90}});
  this->add_app("runs", {.queue = "root.a"});
  this->ask("runs", "a", {{"vcore", 4}}, {.count = 2});
  this->placed();
  this->add_app("gang", {.queue = "root.a", .placeholder_ask = {{"memory", 2}, {"vcore", 4}}, .hard_gang = true});
  this->add_app("behind", {.queue = "root.a"});
  this->ask("gang", "one", {{"vcore", 4}}, {.task_group = "g", .placeholder = true});
  this->ask("behind", "cores", {{"vcore", 1}});
  this->ask("behind", "memory", {{"memory", 1}});
  // It has not come as a whole, and keeps nobody back.
  EXPECT_THAT(this->placed(), ElementsAre("behind/cores#3 on node-1", "behind/memory#4 on node-1"));
  this->give_back("behind", "cores");
  this->ask("gang", "two", {{"memory", 2}}, {.task_group = "g", .placeholder = true});
  EXPECT_THAT(this->placed(), IsEmpty());
  this->ask("behind", "cores", {{"vcore", 1}});
  this->ask("behind", "more", {{"memory", 7}});
  this->ask("behind", "less", {{"memory", 3}});
  EXPECT_THAT(this->placed(), ElementsAre("behind/more#5 on node-1"));
  // Withdrawn, it lets pass at once.
  this->withdraw("gang", "one");
  this->withdraw("gang", "two");
  EXPECT_THAT(this->placed(), ElementsAre("behind/cores#6 on node-1"));
}

TYPED_TEST(RulesOfQueues, AGangThatWaitsForNodesIsFirstOnceItsStrictLeafHasTooLittle) {
  queue_config leaf = make_queue("a");
  leaf.max = {{"vcore", 10}};
  leaf.properties["queue.strict"] = "true";
  this->start({leaf});
  for (const std::string id : {"node-1", "node-2", "node-3"}) this->add(id, {{"vcore", 3}});
  this->add_app("gang", {.queue = "root.a", .placeholder_ask = {{"vcore", 8}}, .hard_gang = true});
  this->add_app("behind", {.queue = "root.a"});
  this->ask("gang", "p", {{"vcore", 4}}, {.count = 2, .task_group = "g", .placeholder = true});
  this->ask("behind", "small", {{"vcore", 1}}, {.count = 4});
  EXPECT_THAT(this->placed(),
              ElementsAre("behind/small#1 on node-1", "behind/small#2 on node-2", "behind/small#3 on node-3"));
  this->add("node-4", {{"vcore", 8}});
  EXPECT_THAT(this->placed(), IsEmpty());
  this->give_back("behind", "small");
  EXPECT_THAT(this->placed(), ElementsAre("gang/p#4 on node-4", "gang/p#5 on node-4", "behind/small#6 on node-1"));
}

TYPED_TEST(RulesOfQueues, WhoIsFirstInAStrictLeafFollowsItsHeadroom) {
  queue_config leaf = make_queue("a");
  leaf.max = {{"memory", 10}, {"vcore", 10}};
  leaf.properties["queue.strict"] = "true";
  this->start({leaf});
  this->add("node-1", {{"memory", 5}, {"vcore", 90}});
  for (const std::string id : {"runs", "waits", "first", "behind", "other"}) this->add_app(id, {.queue = "root.a"});
  this->ask("runs", "a", {{"vcore", 7}});
  this->ask("waits", "a", {{"memory", 6}});
  this->ask("first", "a", {{"vcore", 5}});
  this->ask("behind", "a", {{"vcore", 1}});
  this->ask("other", "a", {{"memory", 5}});
  EXPECT_THAT(this->placed(), ElementsAre("runs/a#1 on node-1", "other/a#2 on node-1", "behind/a#3 on node-1"));
}

TYPED_TEST(RulesOfQueues, WhoIsFirstInAStrictLeafFollowsTheOrderOfApplications) {
  queue_config leaf = make_queue("a");
  leaf.max = leaf.guaranteed = {{"memory", 100}, {"vcore", 10}};
  leaf.properties = {{"application.sort.policy", "fair"}, {"queue.strict", "true"}};
  this->start({leaf});
  this->add("node-1", {{"memory", 900}, {"vcore", 90}});
  for (const std::string id : {"earlier", "later", "runs"}) this->add_app(id, {.queue = "root.a"});
  this->ask("runs", "a", {{"vcore", 9}});
  this->ask("earlier", "runs", {{"memory", 10}});
  this->placed();
  this->ask("later", "large", {{"vcore", 5}});
  this->ask("earlier", "small", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), IsEmpty());
  this->give_back("earlier", "runs");
  EXPECT_THAT(this->placed(), ElementsAre("earlier/small#3 on node-1"));
}

TYPED_TEST(RulesOfQueues, WhoComesToALimitElsewhereKeepsNobodyBackInAStrictLeaf) {
  queue_config parent = make_queue("parent", {make_queue("strict"), make_queue("other")});
  parent.limits = {make_limit({"one"}, {}, {{"vcore", 5}})};
  parent.queues[0].max = {{"vcore", 10}};
  parent.queues[0].properties["queue.strict"] = "true";
  this->start({parent});
  this->add("node-1", {{"vcore", 90}});
  this->add_app("runs", {.queue = "root.parent.strict", .user = "two"});
  this->add_app("first", {.queue = "root.parent.strict", .user = "one"});
  this->add_app("behind", {.queue = "root.parent.strict", .user = "two"});
  this->add_app("elsewhere", {.queue = "root.parent.other", .user = "one"});
  this->ask("runs", "a", {{"vcore", 9}});
  this->placed();
  this->ask("first", "a", {{"vcore", 5}});
  this->ask("behind", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), IsEmpty());
  this->ask("elsewhere", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("elsewhere/a#2 on node-1", "behind/a#3 on node-1"));
}

TYPED_TEST(RulesOfQueues, AHeldApplicationKeepsNobodyBackInAStrictLeaf) {
  queue_config leaf = make_queue("a");
  leaf.max = {{"vcore", 10}};
  leaf.max_applications = 2;
  leaf.properties["queue.strict"] = "true";
  this->start({leaf});
  this->add("node-1", {{"memory", 90}, {"vcore", 90}});
  for (const std::string id : {"runs", "held", "begins"}) this->add_app(id, {.queue = "root.a"});
  this->ask("runs", "a", {{"vcore", 9}});
  this->placed();
  this->ask("held", "large", {{"vcore", 5}}, {.priority = 5});
  this->ask("runs", "small", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), IsEmpty());
  this->ask("begins", "a", {{"memory", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("begins/a#2 on node-1", "runs/small#3 on node-1"));
}

TYPED_TEST(RulesOfQueues, ATypeThatNoNodeHasFitsNowhere) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 9}});
  this->add_app("app-1");
  this->ask("app-1", "a", {{"gpu", 1}, {"vcore", 1}});
  this->ask("app-1", "b", {{"gpu", 0}, {"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/b#1 on node-1"));
}

TYPED_TEST(RulesOfQueues, MaxApplicationsHoldsBackOnlyAcceptedOnes) {
  queue_config leaf = make_queue("leaf");
  leaf.max_applications = 1;
  this->start({leaf});
  this->add("node-1", {{"vcore", 9}});
  this->add_app("app-1");
  this->add_app("app-2");
  this->ask("app-1", "a", {{"vcore", 1}}, {.count = 2});
  this->ask("app-2", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1", "app-1/a#2 on node-1"));
  EXPECT_EQ(this->queue_at("root.leaf")->running_apps, 1U);
  this->give_back("app-1", "a");
  EXPECT_THAT(this->placed(), ElementsAre("app-2/a#3 on node-1"));
}

TYPED_TEST(RulesOfQueues, APlaceholderTakesAPlaceOfMaxApplications) {
  queue_config leaf = make_queue("leaf");
  leaf.max_applications = 1;
  this->start({leaf});
  this->add("node-1", {{"vcore", 9}});
  this->add_app("gang", {.placeholder_ask = {{"vcore", 2}}});
  this->add_app("app-2");
  this->ask("gang", "ph", {{"vcore", 1}}, {.task_group = "tg", .placeholder = true});
  this->ask("app-2", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("gang/ph#1 on node-1"));
  EXPECT_EQ(this->queue_at("root.leaf")->running_apps, 0U);
}

TYPED_TEST(RulesOfQueues, FifoGoesByTheEarliestAsk) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 9}});
  this->add_app("app-1");
  this->wait(5);
  this->add_app("app-2");
  this->ask("app-1", "a", {{"vcore", 1}});
  this->ask("app-2", "a", {{"vcore", 1}}, {.create_time_ms = start_ms - 1});
  EXPECT_EQ(this->app("app-2")->submitted_ms, start_ms - 1);
  EXPECT_THAT(this->placed(), ElementsAre("app-2/a#1 on node-1", "app-1/a#2 on node-1"));
}

TYPED_TEST(RulesOfQueues, FairApplicationsShareByTheirLargestShare) {
  queue_config leaf = make_queue("leaf");
  leaf.properties["application.sort.policy"] = "fair";
  leaf.guaranteed = {{"memory", 100}, {"vcore", 10}};
  this->start({leaf});
  this->add("node-1", {{"memory", 1'000}, {"vcore", 100}});
  this->add_app("app-1");
  this->add_app("app-2");
  this->ask("app-1", "a", {{"memory", 10}, {"vcore", 2}}, {.count = 3});
  this->ask("app-2", "a", {{"memory", 10}, {"vcore", 1}}, {.count = 3});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1", "app-2/a#2 on node-1", "app-2/a#3 on node-1",
                                          "app-1/a#4 on node-1", "app-2/a#5 on node-1", "app-1/a#6 on node-1"));
}

TYPED_TEST(RulesOfQueues, AUserHasItsOwnLimitOnEveryLevel) {
  queue_config leaf = make_queue("leaf");
  leaf.limits = {make_limit({"one"}, {}, {{"vcore", 1}}), make_limit({"*"}, {}, {{"vcore", 2}})};
  this->start({leaf, make_queue("other")});
  this->add("node-1", {{"vcore", 9}});
  this->add_app("app-1", {.user = "one"});
  this->add_app("app-2", {.user = "two"});
  this->add_app("app-3", {.queue = "root.other", .user = "one"});
  for (const std::string id : {"app-1", "app-2", "app-3"}) this->ask(id, "a", {{"vcore", 1}}, {.count = 3});
  this->placed();
  EXPECT_EQ(this->app("app-1")->allocations.size(), 1U);
  EXPECT_EQ(this->app("app-2")->allocations.size(), 2U);
  EXPECT_EQ(this->app("app-3")->allocations.size(), 3U);
}

TYPED_TEST(RulesOfQueues, AGroupSharesOneLimit) {
  queue_config leaf = make_queue("leaf");
  leaf.limits = {make_limit({}, {"dev"}, {{"vcore", 3}}), make_limit({}, {"*"}, {{"vcore", 1}})};
  this->start({leaf});
  this->add("node-1", {{"vcore", 9}});
  this->add_app("app-1", {.user = "one", .groups = {"ops", "dev"}});
  this->add_app("app-2", {.user = "two", .groups = {"dev"}});
  this->add_app("app-3", {.user = "three", .groups = {"ops"}});
  this->add_app("app-4", {.user = "four", .groups = {}});
  for (const std::string id : {"app-1", "app-2", "app-3", "app-4"}) this->ask(id, "a", {{"vcore", 1}}, {.count = 2});
  EXPECT_THAT(this->placed(),
              ElementsAre("app-1/a#1 on node-1", "app-1/a#2 on node-1", "app-2/a#3 on node-1", "app-3/a#4 on node-1"));
  ASSERT_EQ(this->look().groups.size(), 4U);
  EXPECT_EQ(this->look().groups[2].name, "dev");
  EXPECT_EQ(this->look().groups[3].usage, (amount_map{{"vcore", 3}}));
}

TYPED_TEST(RulesOfQueues, NothingIsPlacedInAStoppedQueueUntilItIsStarted) {
  this->start({make_queue("held", {make_queue("leaf")}), make_queue("free")});
  this->add("node-1", {{"vcore", 8}});
  this->add_app("h", {.queue = "root.held.leaf"});
  this->add_app("f", {.queue = "root.free"});
  this->ask("h", "a", {{"vcore", 1}}, {.count = 2});
  EXPECT_THAT(this->turn("root.held", object_event::stop), ElementsAre());
  EXPECT_THAT(this->turn("root.held", object_event::stop), ElementsAre()) << "once more";
  this->ask("f", "a", {{"vcore", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("f/a#1 on node-1"));
  this->turn("root.held", object_event::start);
  EXPECT_THAT(this->placed(), ElementsAre("h/a#2 on node-1", "h/a#3 on node-1"));
}

TYPED_TEST(RulesOfQueues, AKilledApplicationGivesBackWhatItHas) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 1}});
  this->add_app("k", {.queue = "root.leaf"});
  this->ask("k", "a", {{"vcore", 1}}, {.count = 2});
  this->placed();
  EXPECT_THAT(this->kill("none", "enough"), ElementsAre());
  const lines said = this->kill("k", "enough");
  EXPECT_THAT(said, ::testing::Contains(::testing::HasSubstr("ApplicationKilled: enough")));
  EXPECT_THAT(this->placed(), ElementsAre());
}

TYPED_TEST(RulesOfQueues, NothingIsPlacedWhileRootIsStopped) {
  this->start({make_queue("leaf")});
  this->add("node-1", {{"vcore", 10}});
  this->add_app("app-1");
  this->ask("app-1", "a", {{"vcore", 1}});
  this->turn("root", object_event::stop);
  EXPECT_THAT(this->schedule(5), IsEmpty());
  this->turn("root", object_event::start);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1"));
}

}  // namespace
}  // namespace tenon::testing
