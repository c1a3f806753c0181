// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of devices in gangs, reservations and preemption: docs/decisions-devices.md, section 5.
#include "scene.hpp"

namespace tenon::testing {
namespace {

using ::testing::Contains;

const tags_of two_of_eight = {{"tenon/devices/gpu", "2x8"}};
const node_options divided{.attributes = two_of_eight};

template <class T>
class rules_of_divided_nodes : public scene<T> {
 protected:
  std::vector<int64_t> free_on(const std::string &node) { return this->node_of(node)->devices["gpu"]; }
};

// -- Gangs. --

template <class T>
class RulesOfDeviceGangs : public rules_of_divided_nodes<T> {
 protected:
  void SetUp() override {
    this->start({make_queue("leaf")});
    this->add("node-1", {{"gpu", 16}}, divided);
    this->add_app("gang", {.execution_timeout_ms = 60 * second, .placeholder_ask = {{"gpu", 8}}});
  }
  void hold(const std::string &key, int64_t amount, tags_of tags = {}) {
    ask_options o{.tags = std::move(tags), .task_group = "tg", .placeholder = true};
    this->ask("gang", key, {{"gpu", amount}}, o);
    EXPECT_EQ(this->placed().size(), 1U);
  }
  lines want(const std::string &key, int64_t amount, tags_of tags = {}) {
    this->ask("gang", key, {{"gpu", amount}}, {.tags = std::move(tags), .task_group = "tg"});
    return this->schedule(9);
  }
  lines confirm(const std::string &key) {
    return this->give_back("gang", key, termination::placeholder_replaced, release_what::allocations, 1);
  }
};
TYPED_TEST_SUITE(RulesOfDeviceGangs, schedulers_with<naive::kernel_has.gangs>);

TYPED_TEST(RulesOfDeviceGangs, AReplacementTakesDevicesOver) {
  this->hold("other", 5);
  this->hold("ph", 8, {{"tenon/devices/gpu", "1x8"}});
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(3, 0));
  EXPECT_THAT(this->want("r", 6), Contains("released gang/ph#2 on node-1 PLACEHOLDER_REPLACED: replacing "
                                           "allocationKey: r with gpu=8@1"));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(3, 0)) << "held by the placeholder until it is gone";
  EXPECT_THAT(this->confirm("ph"),
              ElementsAre("allocated gang/r#3 on node-1 with gpu=6@1", "application_state gang Starting"));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(3, 2));
}

TYPED_TEST(RulesOfDeviceGangs, OneWithSmallerDevicesGivesItsPlaceUpForAnotherNode) {
  this->hold("ph", 8, {{"tenon/devices/gpu", "2x4"}});
  EXPECT_THAT(this->want("r", 8), IsEmpty()) << "a whole device is wanted, two halves are there";
  this->add("node-2", {{"gpu", 16}}, divided);
  EXPECT_THAT(this->schedule(9), ElementsAre("released gang/ph#1 on node-1 PLACEHOLDER_REPLACED: replacing "
                                             "allocationKey: r with gpu=4@0,1"));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(4, 4));
  EXPECT_THAT(this->free_on("node-2"), ElementsAre(0, 8)) << "it holds a device there from the beginning";
  this->set_attributes("node-2", {});
  this->set_attributes("node-2", two_of_eight);
  EXPECT_THAT(this->free_on("node-2"), ElementsAre(0, 8)) << "whatever becomes of the node meanwhile";
  EXPECT_THAT(this->confirm("ph"), ElementsAre("allocated gang/r#2 on node-2 with gpu=8@0"));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(8, 8));
  EXPECT_THAT(this->free_on("node-2"), ElementsAre(0, 8));
}

TYPED_TEST(RulesOfDeviceGangs, AReplacementThatBreaksGivesItsDevicesBack) {
  this->hold("ph", 8, {{"tenon/devices/gpu", "2x4"}});
  this->add("node-2", {{"gpu", 16}}, divided);
  this->want("r", 8);
  EXPECT_THAT(this->free_on("node-2"), ElementsAre(0, 8));
  this->give_back("gang", "r");
  EXPECT_THAT(this->free_on("node-2"), ElementsAre(8, 8));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(4, 4));
}

TYPED_TEST(RulesOfDeviceGangs, PartsOfSeveralDevicesAreTakenOverInOrder) {
  this->hold("ph", 16, two_of_eight);
  this->want("r", 5);
  EXPECT_THAT(this->confirm("ph"),
              ElementsAre("allocated gang/r#2 on node-1 with gpu=5@0", "application_state gang Starting"));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(3, 8));
}

// -- Reservations and preemption. --

// Two devices of 8, of which "a" and "b" of another application use 5 each: 6 are free in sum, on no device.
template <class T>
class rules_of_waiting_for_devices : public rules_of_divided_nodes<T> {
 protected:
  void begin(queue_config ours) {
    cluster_config c = make_cluster({std::move(ours), make_queue("theirs")});
    this->start(c);
    this->add("node-1", {{"gpu", 16}}, divided);
    this->add_app("them", {.queue = "root.theirs"});
    this->add_app("us", {.queue = "root.ours"});
    for (const char *key : {"a", "b"}) {
      this->now_ms_ += 1;
      this->ask("them", key, {{"gpu", 5}});
      this->placed();
    }
    EXPECT_THAT(this->free_on("node-1"), ElementsAre(3, 3));
  }
  lines confirm(const std::string &key) { return this->give_back("them", key, termination::preempted_by_scheduler); }
};

template <class T>
class RulesOfReservedDevices : public rules_of_waiting_for_devices<T> {};
TYPED_TEST_SUITE(RulesOfReservedDevices, schedulers_with<naive::kernel_has.reservations>);

TYPED_TEST(RulesOfReservedDevices, ANodeIsReservedUntilOneOfItsDevicesIsFree) {
  this->begin(make_queue("ours"));
  this->ask("us", "k", {{"gpu", 6}});
  this->schedule(9);
  this->wait(2 * second);
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved us/k on node-1"));
  this->give_back("them", "a");
  EXPECT_THAT(this->schedule(1), Contains("allocated us/k#3 on node-1 with gpu=6@0"));
}

TYPED_TEST(RulesOfReservedDevices, ANodeWhoseDevicesNeverHoldItIsNotReserved) {
  this->begin(make_queue("ours"));
  this->ask("us", "k", {{"gpu", 12}});
  this->schedule(9);
  this->wait(2 * second);
  EXPECT_THAT(this->schedule(9), IsEmpty()) << "one and a half";
}

TYPED_TEST(RulesOfReservedDevices, ADivisionThatDoesNotHoldItAnyMoreEndsTheReservation) {
  this->begin(make_queue("ours"));
  this->ask("us", "k", {{"gpu", 6}});
  this->schedule(9);
  this->wait(2 * second);
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved us/k on node-1"));
  EXPECT_THAT(this->set_attributes("node-1", {{"tenon/devices/gpu", "4x4"}}),
              ElementsAre(HasSubstr("unreserved us/k on node-1")));
}

template <class T>
class RulesOfPreemptedDevices : public rules_of_waiting_for_devices<T> {};
TYPED_TEST_SUITE(RulesOfPreemptedDevices, schedulers_with<naive::kernel_has.preemption>);

TYPED_TEST(RulesOfPreemptedDevices, ADaemonTakesOneDeviceOfItsNode) {
  this->begin(make_queue("ours"));
  this->ask("us", "d", {{"gpu", 6}}, {.required_node = "node-1"});
  EXPECT_THAT(this->schedule(9),
              ElementsAre("reserved us/d on node-1", HasSubstr("released them/b#2 on node-1 PREEMPTED_BY_SCHEDULER")));
  this->confirm("b");
  EXPECT_THAT(this->schedule(9), Contains("allocated us/d#3 on node-1 with gpu=6@1"));
}

TYPED_TEST(RulesOfPreemptedDevices, AGuaranteeIsServedWithOneDevice) {
  queue_config ours = make_queue("ours");
  ours.guaranteed = {{"gpu", 8}};
  ours.properties["preemption.delay"] = "1s";
  this->begin(ours);
  this->ask("us", "k", {{"gpu", 6}}, {.preempt_other = true});
  this->schedule(9);
  this->wait(second);
  EXPECT_THAT(this->schedule(9),
              ElementsAre("reserved us/k on node-1", HasSubstr("released them/b#2 on node-1 PREEMPTED_BY_SCHEDULER")));
  this->confirm("b");
  EXPECT_THAT(this->schedule(9), Contains("allocated us/k#3 on node-1 with gpu=6@1"));
}

TYPED_TEST(RulesOfPreemptedDevices, NobodyIsTakenWhereNoDeviceWouldComeOfIt) {
  queue_config ours = make_queue("ours");
  ours.guaranteed = {{"gpu", 16}};
  ours.properties["preemption.delay"] = "1s";
  this->begin(ours);
  this->set_attributes("node-1", {{"tenon/devices/gpu", "2x5"}});
  this->ask("us", "k", {{"gpu", 6}}, {.preempt_other = true});
  this->schedule(9);
  this->wait(5 * second);
  EXPECT_THAT(this->schedule(9), IsEmpty());
}

}  // namespace
}  // namespace tenon::testing
