// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of reservations and of asks that require a node.
#include "scene.hpp"

namespace tenon::testing {
namespace {

using ::testing::Contains;

template <class T>
class RulesOfReservations : public scene<T> {
 protected:
  void SetUp() override {
    begin([](partition_tuning &) {});
  }

  // One node of 10 vcores with 6 in use; "big" of 8 waits.
  template <class Tune>
  void begin(Tune &&tune) {
    cluster_config c = make_cluster({make_queue("leaf")});
    c.partitions[0].preemption_enabled = false;
    tune(c.partitions[0].tuning);
    this->start(c);
    this->add("node-1", {{"vcore", 10}});
    this->add_app("app");
    this->ask("app", "small", {{"vcore", 6}});
    this->schedule();
    // So that the cluster as a whole has room for it.
    this->add("node-2", {{"vcore", 6}});
    this->ask("app", "big", {{"vcore", 8}});
    EXPECT_THAT(this->schedule(9), IsEmpty());
  }
  lines after_delay() {
    this->wait(2 * second);
    return this->schedule(9);
  }
  lines give_back_small() { return this->give_back("app", "small"); }
};
TYPED_TEST_SUITE(RulesOfReservations, schedulers_with<naive::kernel_has.reservations>);

TYPED_TEST(RulesOfReservations, AnAskWithoutRoomGetsANodeAfterTheDelay) {
  this->wait(2 * second - 1);
  EXPECT_THAT(this->schedule(9), IsEmpty());
  this->wait(1);
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved app/big on node-1"));
  EXPECT_EQ(this->made_, 1U);
  EXPECT_THAT(this->app("app")->reservations, ElementsAre("node-1"));
  EXPECT_THAT(this->node_of("node-1")->reservations, ElementsAre("app/big"));
}

TYPED_TEST(RulesOfReservations, NobodyElseUsesTheNodeAndTheAskGoesFirst) {
  this->after_delay();
  this->ask("app", "urgent", {{"vcore", 3}}, {.priority = 9});
  this->ask("app", "next", {{"vcore", 4}}, {.priority = 9});
  EXPECT_THAT(this->schedule(9), ElementsAre("allocated app/urgent#2 on node-2", "application_state app Running"));
  this->give_back_small();
  EXPECT_THAT(this->schedule(1), ElementsAre("unreserved app/big on node-1: placed", "allocated app/big#3 on node-1"));
}

TYPED_TEST(RulesOfReservations, RoomElsewhereIsTakenAndTheNodeIsFreeAgain) {
  this->after_delay();
  this->add("node-3", {{"vcore", 9}});
  EXPECT_THAT(this->schedule(1), ElementsAre("unreserved app/big on node-1: placed", "allocated app/big#2 on node-3",
                                             "application_state app Running"));
}

TYPED_TEST(RulesOfReservations, TheNodeThatLacksLeastIsReserved) {
  this->add("node-0", {{"vcore", 9}}, {.occupied = {{"vcore", 1}}});
  this->add_app("other");
  this->ask("other", "filler", {{"vcore", 1}});
  this->schedule(9);
  this->give_back("app", "big", termination::scheduling_failed);
  this->give_back("other", "filler");
  // What node-0 could hold is taken by now; node-1 has 4 of 8.
  this->ask("app", "big", {{"vcore", 10}});
  EXPECT_EQ(this->after_delay(), lines{"reserved app/big on node-1"});
}

TYPED_TEST(RulesOfReservations, AnAskThatNoEmptyNodeHoldsReservesNone) {
  this->ask("app", "big", {{"vcore", 11}});
  EXPECT_THAT(this->after_delay(), IsEmpty());
}

TYPED_TEST(RulesOfReservations, ANodeHasOneReservation) {
  this->ask("app", "big-2", {{"vcore", 7}});
  EXPECT_THAT(this->after_delay(), ElementsAre("reserved app/big on node-1"));
  EXPECT_THAT(this->schedule(9), IsEmpty());
}

TYPED_TEST(RulesOfReservations, ItEndsWithTheAsk) {
  this->after_delay();
  EXPECT_THAT(this->withdraw("app", "big"),
              ElementsAre("unreserved app/big on node-1: the ask is not pending any more"));
  this->ask("app", "big", {{"vcore", 8}});
  this->after_delay();
  EXPECT_THAT(this->ask("app", "big", {{"vcore", 7}}),
              ElementsAre("unreserved app/big on node-1: the ask is not pending any more"));
  this->after_delay();
  EXPECT_THAT(this->remove_app("app"),
              ElementsAre("released app/small#1 on node-1 STOPPED_BY_RM: Application app Removed",
                          "unreserved app/big on node-1: the ask is not pending any more"));
}

TYPED_TEST(RulesOfReservations, ItEndsWithWhatMadeTheNodeFit) {
  const lines unfit{"unreserved app/big on node-1: the node does not take the ask any more"};
  this->after_delay();
  EXPECT_EQ(this->change("node-1", node_event::drain), unfit);
  this->change("node-1", node_event::undrain);
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved app/big on node-1"));
  EXPECT_EQ(this->set_capacity("node-1", {{"vcore", 7}}), unfit);
  this->set_capacity("node-1", {{"vcore", 10}});
  this->schedule(9);
  EXPECT_EQ(this->put("node-1", this->foreign("f", {{"vcore", 3}})), unfit);
  this->give_back("", "f");
  this->schedule(9);
  EXPECT_THAT(this->change("node-1", node_event::decommission),
              ElementsAre("unreserved app/big on node-1: Node node-1 Removed",
                          "released app/small#1 on node-1 STOPPED_BY_RM: Node node-1 Removed"));
}

TYPED_TEST(RulesOfReservations, ItIsNotKeptForEverAndNotHadAgainAtOnce) {
  this->begin([](partition_tuning &t) { t.reservation_wait_ms = 10 * second; });
  this->after_delay();
  EXPECT_THAT(this->wait(10 * second), ElementsAre("unreserved app/big on node-1: waited too long for node node-1"));
  EXPECT_THAT(this->schedule(9), IsEmpty());
  EXPECT_THAT(this->after_delay(), ElementsAre("reserved app/big on node-1"));
}

TYPED_TEST(RulesOfReservations, TheyCanBeSwitchedOff) {
  this->begin([](partition_tuning &t) { t.reservation_enabled = false; });
  EXPECT_THAT(this->after_delay(), IsEmpty());
}

TYPED_TEST(RulesOfReservations, BackfillLetsShortWorkThrough) {
  this->begin([](partition_tuning &t) { t.reservation_backfill = true; });
  this->give_back_small();
  // What ends after a minute lets "big" in.
  this->withdraw("app", "big");
  this->ask("app", "timed", {{"vcore", 6}}, {.required_node = "node-1"});
  this->give_back("app", "timed", termination::stopped_by_rm, release_what::asks);
  this->ask("app", "timed", {{"vcore", 6}}, {.execution_timeout_ms = 60 * second, .required_node = "node-1"});
  EXPECT_THAT(this->schedule(1), Contains(HasSubstr("allocated app/timed")));
  this->ask("app", "big", {{"vcore", 8}});
  EXPECT_THAT(this->after_delay(), ElementsAre("reserved app/big on node-1"));
  this->change("node-2", node_event::drain);
  this->ask("app", "long", {{"vcore", 1}}, {.execution_timeout_ms = 59 * second});
  this->ask("app", "short", {{"vcore", 1}}, {.execution_timeout_ms = 57 * second});
  this->ask("app", "endless", {{"vcore", 1}});
  EXPECT_THAT(this->schedule(9), Contains(HasSubstr("app/short")));
  EXPECT_EQ(this->node_of("node-1")->allocated, (amount_map{{"vcore", 7}}));
}

template <class T>
class RulesOfRequiredNodes : public RulesOfReservations<T> {};
TYPED_TEST_SUITE(RulesOfRequiredNodes, schedulers_with<naive::kernel_has.reservations>);

TYPED_TEST(RulesOfRequiredNodes, OneReservesAtOnceAndWaitsForThisNodeAlone) {
  this->ask("app", "daemon", {{"vcore", 5}}, {.priority = 9, .required_node = "node-1"});
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved app/daemon on node-1"));
  this->give_back_small();
  EXPECT_THAT(this->schedule(1), Contains("allocated app/daemon#2 on node-1"));
}

TYPED_TEST(RulesOfRequiredNodes, OneTakesTheNodeFromThoseWhoCouldGoElsewhere) {
  this->after_delay();
  this->ask("app", "daemon", {{"vcore", 4}}, {.required_node = "node-1"});
  EXPECT_THAT(this->schedule(1), ElementsAre("unreserved app/big on node-1: ask daemon requires the node",
                                             "allocated app/daemon#2 on node-1", "application_state app Running"));
}

TYPED_TEST(RulesOfRequiredNodes, SeveralWaitForOneNodeInTurnAndWhatFitsGoesBefore) {
  this->ask("app", "d1", {{"vcore", 7}}, {.required_node = "node-1"});
  this->ask("app", "d2", {{"vcore", 1}}, {.required_node = "node-1"});
  EXPECT_THAT(this->schedule(2), ElementsAre("reserved app/d1 on node-1", "reserved app/d2 on node-1"));
  EXPECT_THAT(this->node_of("node-1")->reservations, ElementsAre("app/d1", "app/d2"));
  EXPECT_THAT(this->schedule(1), Contains("allocated app/d2#2 on node-1"));
}

TYPED_TEST(RulesOfRequiredNodes, ADrainingNodeWillDoAnUnknownOrSmallOneWillNot) {
  this->change("node-1", node_event::drain);
  this->ask("app", "ok", {{"vcore", 5}}, {.required_node = "node-1"});
  this->ask("app", "huge", {{"vcore", 11}}, {.required_node = "node-1"});
  this->ask("app", "gone", {{"vcore", 1}}, {.required_node = "node-9"});
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved app/ok on node-1"));
}

}  // namespace
}  // namespace tenon::testing
