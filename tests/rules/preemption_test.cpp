// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of preemption: for a guarantee, within a queue, on a required node.
#include "guaranteed.hpp"
#include "scene.hpp"

namespace tenon::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Not;

const ask_options preempts{.preempt_other = true};

queue_config with(queue_config q, const std::string &property, const std::string &value) {
  q.properties[property] = value;
  return q;
}

template <class T>
class RulesOfPreemption : public scene<T> {
 protected:
  // "theirs" fills a node of 10 vcores with allocations of 2; "ours" is guaranteed 4.
  void begin(queue_config ours = guaranteed("ours", {{"vcore", 4}}), queue_config theirs = make_queue("theirs"),
             const ask_options &o = {}) {
    cluster_config c = make_cluster({std::move(ours), std::move(theirs)});
    c.partitions[0].tuning.reservation_enabled = false;
    this->start(c);
    fill(o);
  }
  void fill(const ask_options &o = {}) {
    this->add("node-1", {{"vcore", 10}});
    this->add_app("them", {.queue = "root.theirs"});
    this->add_app("us", {.queue = "root.ours"});
    for (const char *key : {"a", "b", "c", "d", "e"}) {
      this->now_ms_ += 1;
      this->ask("them", key, {{"vcore", 2}}, o);
    }
    EXPECT_EQ(this->placed().size(), 5U);
  }
  lines after_delay(int64_t ms = second) {
    this->wait(ms);
    return victims();
  }
  // Who is preempted in the next steps.
  lines victims() {
    lines out;
    for (const std::string &line : this->schedule(20)) {
      const size_t end = line.find(" PREEMPTED_BY_SCHEDULER");
      if (end != std::string::npos) out.push_back(line.substr(9, line.find('#') - 9));
    }
    return out;
  }
  lines confirm(const std::string &app, const std::string &key) {
    return this->give_back(app, key, termination::preempted_by_scheduler);
  }
  // A member of a gang that needs all of its members.
  void member(const std::string &gang, const std::string &key) {
    this->now_ms_ += 1;
    ask_options o;
    o.task_group = "g";
    o.placeholder = true;
    this->ask(gang, key, {{"vcore", 2}}, o);
    EXPECT_EQ(this->placed().size(), 1U);
  }
  void begin_gangs() {
    this->start(make_cluster({guaranteed("ours", {{"vcore", 8}}), make_queue("theirs")}));
    for (const char *id : {"g", "h"}) this->add_app(id, {.queue = "root.theirs", .placeholder_ask = {{"vcore", 4}}});
    this->add_app("us", {.queue = "root.ours"});
  }
};
TYPED_TEST_SUITE(RulesOfPreemption, schedulers_with<naive::kernel_has.preemption>);

TYPED_TEST(RulesOfPreemption, TheRestOfAGangThatBreaksGoesBeforeAnotherGangBreaks) {
  this->begin_gangs();
  this->add("node-1", {{"vcore", 8}});
  for (const char *gang : {"g", "h"}) this->member(gang, "1");
  for (const char *gang : {"g", "h"}) this->member(gang, "2");
  this->ask("us", "daemon", {{"vcore", 4}}, {.required_node = "node-1"});
  EXPECT_THAT(this->victims(), ElementsAre("h/2", "h/1"));
}

TYPED_TEST(RulesOfPreemption, ANodeOnWhichFewerGangsBreakIsTheBetterOne) {
  this->begin_gangs();
  this->add_app("i", {.queue = "root.theirs", .placeholder_ask = {{"vcore", 4}}});
  this->add("node-1", {{"vcore", 4}});
  for (const char *gang : {"g", "h"}) this->member(gang, "1");
  this->add("node-2", {{"vcore", 4}});
  for (const char *key : {"1", "2"}) this->member("i", key);
  this->add("node-3", {{"vcore", 4}});
  for (const char *gang : {"g", "h"}) this->member(gang, "2");
  this->ask("us", "claim", {{"vcore", 4}}, preempts);
  EXPECT_THAT(this->after_delay(), ElementsAre("i/2", "i/1"));
}

TYPED_TEST(RulesOfPreemption, AGuaranteedGangPreemptsForAllOfItOnceItsFirstPlaceholderMay) {
  this->begin(guaranteed("ours", {{"vcore", 6}}));
  this->add("node-2", {{"vcore", 2}});
  this->ask("them", "f", {{"vcore", 2}});
  EXPECT_THAT(this->placed(), ElementsAre("them/f#6 on node-2"));
  this->add_app("gang", {.queue = "root.ours", .placeholder_ask = {{"vcore", 4}}, .hard_gang = true});
  ask_options o = preempts;
  o.task_group = "g";
  o.placeholder = true;
  o.create_time_ms = this->now_ms_ - second / 2;
  this->ask("gang", "older", {{"vcore", 2}}, o);
  o.create_time_ms = 0;
  o.priority = 1;
  this->ask("gang", "first", {{"vcore", 2}}, o);
  EXPECT_THAT(this->victims(), IsEmpty());
  EXPECT_THAT(this->after_delay(second / 2), IsEmpty());
  EXPECT_THAT(this->after_delay(second / 2), ElementsAre("them/e", "them/d"));
}

TYPED_TEST(RulesOfPreemption, NobodyWithinItsGuaranteeGivesWayForAQueueThatIsFullWhereTheNodeHasRoom) {
  queue_config parent =
      make_queue("parent", {guaranteed("ours", {{"vcore", 4}}), guaranteed("theirs", {{"vcore", 10}})});
  parent.max = {{"vcore", 10}};
  this->start({parent});
  this->add("node-1", {{"vcore", 20}});
  this->add_app("them", {.queue = "root.parent.theirs"});
  this->add_app("us", {.queue = "root.parent.ours"});
  this->ask("them", "a", {{"vcore", 2}}, {.count = 5});
  EXPECT_EQ(this->placed().size(), 5U);
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_THAT(this->after_delay(), IsEmpty());
}

TYPED_TEST(RulesOfPreemption, AQueueBelowItsGuaranteeTakesBackAndIsServedWhenThatIsConfirmed) {
  this->begin();
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_THAT(this->schedule(9), IsEmpty());
  this->wait(second);
  EXPECT_THAT(this->schedule(1),
              ElementsAre("reserved us/k on node-1",
                          "released them/e#5 on node-1 PREEMPTED_BY_SCHEDULER: preempting allocations to free up "
                          "resources to run ask: k"));
  EXPECT_EQ(this->made_, 1U);
  EXPECT_EQ(this->queue_at("root.theirs")->preempting, (amount_map{{"vcore", 2}}));
  EXPECT_EQ(this->queue_at("root.theirs")->allocated, (amount_map{{"vcore", 10}}));
  EXPECT_THAT(this->schedule(9), IsEmpty());
  EXPECT_THAT(this->confirm("them", "e"), IsEmpty());
  EXPECT_THAT(this->schedule(1), ElementsAre("unreserved us/k on node-1: placed", "allocated us/k#6 on node-1",
                                             "application_state us Starting"));
}

TYPED_TEST(RulesOfPreemption, NoMoreIsTakenThanIsNeeded) {
  this->begin(guaranteed("ours", {{"vcore", 4}}));
  this->ask("us", "k", {{"vcore", 3}}, preempts);
  EXPECT_EQ(this->after_delay(), (lines{"them/e", "them/d"}));
}

TYPED_TEST(RulesOfPreemption, WhatWasTakenFirstIsPutBackWhenItIsNotNeeded) {
  this->begin(guaranteed("ours", {{"vcore", 8}}), make_queue("theirs"));
  this->give_back("them", "d");
  this->give_back("them", "c");
  this->ask("them", "large", {{"vcore", 4}}, {.priority = -1, .create_time_ms = start_ms});
  this->ask("them", "tiny", {{"vcore", 1}}, {.priority = -2});
  this->give_back("them", "b");
  EXPECT_THAT(this->placed(), Contains(HasSubstr("large")));
  this->schedule(5);
  this->ask("us", "k", {{"vcore", 4}}, preempts);
  // "tiny" comes first, then "large": then "tiny" is not needed.
  EXPECT_THAT(this->after_delay(), AnyOf(lines{"them/large"}, lines{"them/tiny", "them/large"}));
}

TYPED_TEST(RulesOfPreemption, OnlyAsksThatMayAndOnlyWhereThePartitionLetsThem) {
  this->begin();
  this->ask("us", "k", {{"vcore", 2}});
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
  cluster_config c = make_cluster({guaranteed("ours", {{"vcore", 4}}), make_queue("theirs")});
  c.partitions[0].preemption_enabled = false;
  this->start(c);
  this->fill();
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
}

TYPED_TEST(RulesOfPreemption, WithoutAGuaranteeNobodyPreemptsAndWithinHisNobodyIsPreempted) {
  this->begin(make_queue("ours"));
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
  this->begin(guaranteed("ours", {{"vcore", 4}}), guaranteed("theirs", {{"vcore", 10}}));
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
}

TYPED_TEST(RulesOfPreemption, NoMoreThanTheGuaranteeIsClaimed) {
  this->begin();
  this->ask("us", "k", {{"vcore", 5}}, preempts);
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
  this->withdraw("us", "k");
  this->ask("us", "k1", {{"vcore", 3}}, preempts);
  this->ask("us", "k2", {{"vcore", 3}}, preempts);
  EXPECT_EQ(this->after_delay(), (lines{"them/e", "them/d"}));
}

TYPED_TEST(RulesOfPreemption, AQueueGivesWhatItHasBeyondItsGuaranteeAndNoMore) {
  this->begin(guaranteed("ours", {{"vcore", 8}}), guaranteed("theirs", {{"vcore", 7}}));
  this->ask("us", "k", {{"vcore", 4}}, preempts);
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
  this->begin(guaranteed("ours", {{"vcore", 8}}), guaranteed("theirs", {{"vcore", 6}}));
  this->ask("us", "k", {{"vcore", 5}}, preempts);
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
  this->ask("us", "k", {{"vcore", 4}}, preempts);
  EXPECT_EQ(this->after_delay(60 * second), (lines{"them/e", "them/d"}));
}

TYPED_TEST(RulesOfPreemption, TheOrderOfVictims) {
  this->begin();
  this->give_back("them", "");
  const auto put = [&](const char *key, const ask_options &o) {
    this->now_ms_ += 1;
    this->ask("them", key, {{"vcore", 2}}, o);
    this->schedule(1);
  };
  put("old", {});
  put("never", {.preempt_self = false});
  put("first", {.originator = true});
  put("low", {.priority = -1});
  put("new", {});
  this->ask("us", "k", {{"vcore", 4}}, preempts);
  EXPECT_EQ(this->after_delay(), (lines{"them/low", "them/new"}));
  this->confirm("them", "");
  this->schedule(9);
  this->reload(make_cluster({guaranteed("ours", {{"vcore", 10}}), make_queue("theirs")}));
  this->ask("us", "k2", {{"vcore", 4}}, preempts);
  EXPECT_EQ(this->after_delay(), lines{});
}

TYPED_TEST(RulesOfPreemption, HigherPriorityIsSparedAndOffsetsCount) {
  this->begin(guaranteed("ours", {{"vcore", 4}}), make_queue("theirs"), {.priority = 1});
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
  this->begin(with(guaranteed("ours", {{"vcore", 4}}), "priority.offset", "1"), make_queue("theirs"), {.priority = 1});
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_EQ(this->after_delay().size(), 1U);
  queue_config fenced = with(make_queue("theirs"), "priority.policy", "fence");
  this->begin(guaranteed("ours", {{"vcore", 4}}), fenced, {.priority = 99});
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_EQ(this->after_delay().size(), 1U);
}

TYPED_TEST(RulesOfPreemption, FencesAndSwitchesOfQueues) {
  this->begin(with(guaranteed("ours", {{"vcore", 4}}), "preemption.policy", "fence"));
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
  this->begin(guaranteed("ours", {{"vcore", 4}}), with(make_queue("theirs"), "preemption.policy", "fence"));
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_EQ(this->after_delay().size(), 1U);
  this->begin(guaranteed("ours", {{"vcore", 4}}), with(make_queue("theirs"), "preemption.policy", "disabled"));
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
}

TYPED_TEST(RulesOfPreemption, DisabledAboveHoldsForDynamicLeaves) {
  for (const char *policy : {"default", "disabled"}) {
    queue_config theirs = with(make_queue("theirs"), "preemption.policy", policy);
    theirs.parent = true;
    cluster_config c = make_cluster({guaranteed("ours", {{"vcore", 4}}), std::move(theirs)});
    c.partitions[0].tuning.reservation_enabled = false;
    placement_rule_config &rule = c.partitions[0].placement_rules.emplace_back();
    rule.name = "provided";
    rule.create = true;
    this->start(c);
    this->add("node-1", {{"vcore", 2}});
    this->add_app("them", {.queue = "root.theirs.made-now"});
    this->add_app("us", {.queue = "root.ours"});
    this->ask("them", "a", {{"vcore", 2}});
    EXPECT_EQ(this->placed().size(), 1U);
    this->ask("us", "k", {{"vcore", 2}}, preempts);
    EXPECT_EQ(this->after_delay().size(), policy == std::string("disabled") ? 0U : 1U) << policy;
  }
}

TYPED_TEST(RulesOfPreemption, AFullParentIsAFenceAndItsChildrenArePreemptedOnAnyNode) {
  queue_config parent =
      make_queue("team", {guaranteed("ours", {{"vcore", 4}}), make_queue("theirs"), make_queue("idle")});
  parent.max = {{"vcore", 4}};
  this->start({parent, make_queue("others")});
  this->add("node-1", {{"vcore", 10}});
  this->add("node-2", {{"vcore", 10}});
  this->add_app("them", {.queue = "root.team.theirs"});
  this->add_app("us", {.queue = "root.team.ours"});
  this->add_app("else", {.queue = "root.others"});
  this->ask("them", "a", {{"vcore", 2}});
  this->ask("them", "b", {{"vcore", 2}});
  this->ask("else", "x", {{"vcore", 1}});
  this->schedule(9);
  this->ask("us", "k", {{"vcore", 4}}, preempts);
  EXPECT_THAT(this->after_delay(), ::testing::UnorderedElementsAre("them/a", "them/b"));
}

TYPED_TEST(RulesOfPreemption, TheNodeWithTheFewestVictimsIsChosen) {
  this->begin();
  this->add("node-2", {{"vcore", 4}});
  this->ask("them", "large", {{"vcore", 4}}, {.create_time_ms = start_ms});
  EXPECT_EQ(this->placed(), lines{"them/large#6 on node-2"});
  this->ask("us", "k", {{"vcore", 4}}, preempts);
  EXPECT_EQ(this->after_delay(), lines{"them/large"});
}

TYPED_TEST(RulesOfPreemption, AnAttemptThatCameToNothingIsRepeatedAfterAWhile) {
  this->begin(guaranteed("ours", {{"vcore", 4}}), guaranteed("theirs", {{"vcore", 10}}));
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  EXPECT_THAT(this->after_delay(), IsEmpty());
  cluster_config c = make_cluster({guaranteed("ours", {{"vcore", 4}}), make_queue("theirs")});
  this->reload(c);
  EXPECT_THAT(this->victims(), IsEmpty());
  EXPECT_THAT(this->after_delay(14 * second), IsEmpty());
  EXPECT_EQ(this->after_delay(), lines{"them/e"});
  EXPECT_THAT(this->after_delay(60 * second), IsEmpty());
}

TYPED_TEST(RulesOfPreemption, OneForWhichAllNodesWereKeptPreemptsAsSoonAsOneIsNot) {
  this->begin(guaranteed("ours", {{"vcore", 8}}));
  this->add("node-2", {{"vcore", 2}});
  this->ask("them", "f", {{"vcore", 2}});
  EXPECT_EQ(this->placed().size(), 1U);
  for (const char *key : {"k1", "k2", "k3", "k4"}) this->ask("us", key, {{"vcore", 2}}, preempts);
  EXPECT_EQ(this->after_delay(), (lines{"them/e", "them/f"}));
  EXPECT_THAT(this->victims(), IsEmpty());
  this->wait(10);
  this->confirm("them", "e");
  EXPECT_EQ(this->victims(), lines{"them/d"}) << "the third";
  this->confirm("them", "d");
  EXPECT_EQ(this->victims(), lines{"them/c"}) << "the fourth";
  this->confirm("them", "c");
  this->confirm("them", "f");
  this->schedule(9);
  EXPECT_EQ(this->queue_at("root.ours")->allocated, (amount_map{{"vcore", 8}}));
  EXPECT_EQ(this->now_ms_, start_ms + 5 + second + 10);
}

TYPED_TEST(RulesOfPreemption, WithinAQueueLowerPriorityGivesWayWhereItSaysSo) {
  queue_config mine = with(guaranteed("ours", {}), "preemption.policy", "intra");
  this->start({mine, make_queue("theirs")});
  this->add("node-1", {{"vcore", 4}});
  this->add_app("us", {.queue = "root.ours"});
  this->ask("us", "low", {{"vcore", 2}}, {.priority = -1});
  this->ask("us", "mid", {{"vcore", 2}});
  this->schedule(9);
  this->ask("us", "same", {{"vcore", 2}}, {.priority = -1, .preempt_other = true});
  EXPECT_THAT(this->after_delay(), IsEmpty());
  this->ask("us", "high", {{"vcore", 2}}, {.priority = 5, .preempt_other = true});
  EXPECT_EQ(this->after_delay(), lines{"us/low"});
  this->confirm("us", "low");
  EXPECT_THAT(this->schedule(1), Contains("allocated us/high#3 on node-1"));
}

TYPED_TEST(RulesOfPreemption, AsksThatComeTogetherToTheNodeThatTheyRequireHaveTheirVictimsTogether) {
  this->start({make_queue("ours"), make_queue("theirs")});
  this->add("node-1", {{"vcore", 6}});
  this->add_app("them", {.queue = "root.theirs"});
  this->add_app("us", {.queue = "root.ours"});
  this->ask("them", "four", {{"vcore", 4}});
  this->now_ms_ += 1;
  this->ask("them", "two", {{"vcore", 2}});
  EXPECT_EQ(this->placed().size(), 2U);
  this->ask("us", "d1", {{"vcore", 1}}, {.required_node = "node-1"});
  this->ask("us", "d3", {{"vcore", 3}}, {.required_node = "node-1"});
  this->ask("us", "all", {{"vcore", 6}}, {.required_node = "node-1"});
  this->ask("us", "low", {{"vcore", 2}}, {.priority = -1, .required_node = "node-1"});
  EXPECT_EQ(this->victims(), lines{"them/four"}) << "with \"all\" they would be too much for the node";
}

TYPED_TEST(RulesOfPreemption, ADaemonTakesOthersWhereItsVictimsDoNotEndInTime) {
  this->begin(make_queue("ours"));
  this->ask("us", "daemon", {{"vcore", 3}}, {.required_node = "node-1"});
  EXPECT_EQ(this->victims(), (lines{"them/e", "them/d"}));
  EXPECT_THAT(this->after_delay(60 * 60 * second - 1), IsEmpty());
  this->confirm("them", "d");
  EXPECT_EQ(this->after_delay(1), lines{"them/c"}) << "what ended is there";
  this->confirm("them", "c");
  EXPECT_THAT(this->schedule(1), Contains(HasSubstr("allocated us/daemon")));
}

TYPED_TEST(RulesOfPreemption, ARequiredNodeIsClearedWhateverIsGuaranteed) {
  this->begin(make_queue("ours"), guaranteed("theirs", {{"vcore", 10}}));
  this->add("node-2", {{"vcore", 10}});
  this->ask("us", "daemon", {{"vcore", 3}}, {.required_node = "node-1"});
  EXPECT_THAT(this->schedule(1), ElementsAre("reserved us/daemon on node-1"));
  EXPECT_EQ(this->victims(), (lines{"them/e", "them/d"}));
  this->confirm("them", "e");
  EXPECT_THAT(this->schedule(9), IsEmpty());
  this->confirm("them", "d");
  EXPECT_THAT(this->schedule(1), Contains("allocated us/daemon#6 on node-1"));
}

TYPED_TEST(RulesOfPreemption, ARequiredNodeIsClearedInAClusterThatIsFull) {
  this->begin(make_queue("ours"));
  this->ask("us", "daemon", {{"vcore", 3}}, {.required_node = "node-1"});
  EXPECT_THAT(this->schedule(1), ElementsAre("reserved us/daemon on node-1"));
  EXPECT_EQ(this->victims(), (lines{"them/e", "them/d"}));
  this->confirm("them", "e");
  this->confirm("them", "d");
  EXPECT_THAT(this->schedule(1), Contains("allocated us/daemon#6 on node-1"));
}

// A node may be smaller by now than what runs there: then the sum of all nodes is short.
TYPED_TEST(RulesOfPreemption, WhatOtherNodesLackDoesNotKeepADaemonFromItsNode) {
  this->begin(make_queue("ours"));
  this->add("node-2", {{"vcore", 2}});
  this->set_capacity("node-1", {{"vcore", 6}});
  this->ask("us", "daemon", {{"vcore", 2}}, {.required_node = "node-2"});
  EXPECT_THAT(this->schedule(1), Contains("allocated us/daemon#6 on node-2"));
}

TYPED_TEST(RulesOfPreemption, WhatIsFreeOnARequiredNodeCounts) {
  this->begin(make_queue("ours"));
  this->give_back("them", "b");
  this->ask("us", "daemon", {{"vcore", 4}}, {.required_node = "node-1"});
  this->add("node-2", {{"vcore", 10}});
  EXPECT_EQ(this->victims(), lines{"them/e"});
}

TYPED_TEST(RulesOfPreemption, ThoseWhoOptedOutMakeRoomForDaemonsWhenNothingElseDoes) {
  this->begin(make_queue("ours"), make_queue("theirs"), {.preempt_self = false});
  this->add("node-2", {{"vcore", 10}});
  this->give_back("them", "a");
  this->ask("them", "yes", {{"vcore", 2}}, {.required_node = "node-1"});
  this->give_back("them", "b");
  this->schedule(9);
  this->ask("them", "maybe", {{"vcore", 2}}, {.create_time_ms = start_ms});
  this->change("node-2", node_event::drain);
  this->schedule(9);
  this->ask("us", "daemon", {{"vcore", 2}}, {.required_node = "node-1"});
  EXPECT_EQ(this->victims(), lines{"them/maybe"});
  this->ask("us", "more", {{"vcore", 2}}, {.required_node = "node-1"});
  EXPECT_EQ(this->victims(), lines{"them/e"});
}

TYPED_TEST(RulesOfPreemption, DaemonsSpareEachOtherAndHigherPriority) {
  this->begin(make_queue("ours"), make_queue("theirs"), {.priority = 1});
  this->ask("us", "daemon", {{"vcore", 2}}, {.required_node = "node-1"});
  EXPECT_THAT(this->victims(), IsEmpty());
  this->begin(make_queue("ours"), make_queue("theirs"), {.required_node = "node-1"});
  this->ask("us", "daemon", {{"vcore", 2}}, {.required_node = "node-1"});
  EXPECT_THAT(this->victims(), IsEmpty());
}

TYPED_TEST(RulesOfPreemption, OneThatHadNoVictimsOnReservedNodesEitherWaitsAllTheSame) {
  const auto with_kept = [](amount_map amounts) {
    return make_cluster(
        {guaranteed("ours", {{"vcore", 9}}), make_queue("theirs"), guaranteed("kept", std::move(amounts))});
  };
  this->start(with_kept({{"vcore", 2}}));
  this->add("node-1", {{"vcore", 2}});
  this->add_app("kept", {.queue = "root.kept"});
  this->ask("kept", "x", {{"vcore", 2}});
  EXPECT_EQ(this->placed().size(), 1U);
  this->add("node-2", {{"vcore", 2}});
  this->add_app("them", {.queue = "root.theirs"});
  this->ask("them", "f", {{"vcore", 2}});
  EXPECT_EQ(this->placed().size(), 1U);
  this->add_app("us", {.queue = "root.ours"});
  this->ask("us", "k", {{"vcore", 2}}, preempts);
  this->ask("us", "l", {{"vcore", 2}}, preempts);
  EXPECT_EQ(this->after_delay(), lines{"them/f"});
  this->confirm("them", "f");
  EXPECT_EQ(this->placed(), lines{"us/k#3 on node-2"});
  this->reload(with_kept({}));
  EXPECT_THAT(this->victims(), IsEmpty());
  EXPECT_THAT(this->after_delay(14 * second), IsEmpty());
  EXPECT_EQ(this->after_delay(), lines{"kept/x"});
}

}  // namespace
}  // namespace tenon::testing
