// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of devices that an order of nodes chooses: docs/decisions-devices.md, section 3. The order is emptiest-devices
// of tests/orders: where the sum of what devices have free leaves 3 by 7 it leaves the choice, with 5 it names all that
// have room, with 6 the first ones whether they have room or not; else the emptiest, the last one first.
#include "guaranteed.hpp"

namespace tenon::testing {
namespace {

using ::testing::Contains;

const node_options two_devices{.attributes = {{"tenon/devices/gpu", "2x4"}}};

template <class T>
class RulesOfChosenDevices : public scene<T> {
 protected:
  template <class Tune>
  void begin(std::vector<queue_config> queues, Tune &&tune, const std::string &order = "emptiest-devices") {
    cluster_config c = make_cluster(std::move(queues));
    c.partitions[0].node_sort.type = order;
    c.partitions[0].preemption_enabled = false;
    tune(c.partitions[0].tuning);
    this->start(c, check_deadline_ms_);
  }
  void begin(const std::string &order = "emptiest-devices") {
    begin(
        {make_queue("leaf")}, [](partition_tuning &) {}, order);
    this->add_app("app");
  }
  std::string place(const std::string &key, const amount_map &resources, const ask_options &o = {}) {
    this->ask("app", key, resources, o);
    const lines out = this->placed();
    return out.empty() ? "" : out.front();
  }

  int64_t check_deadline_ms_ = 0;
};
TYPED_TEST_SUITE(RulesOfChosenDevices, schedulers);

TYPED_TEST(RulesOfChosenDevices, TheyAreTakenWhereTheyCanBeHad) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, two_devices);
  EXPECT_EQ(this->place("a", {{"gpu", 1}}), "app/a#1 on node-1 with gpu=1@1") << "the last of those that are as empty";
  EXPECT_EQ(this->place("b", {{"gpu", 1}}), "app/b#2 on node-1 with gpu=1@0") << "the emptiest";
  EXPECT_EQ(this->place("c", {{"gpu", 1}}), "app/c#3 on node-1 with gpu=1@0") << "6 free: the first is named";
  EXPECT_EQ(this->place("d", {{"gpu", 1}}), "app/d#4 on node-1 with gpu=1@0") << "5 free: both are named";
  EXPECT_EQ(this->place("e", {{"gpu", 1}}), "app/e#5 on node-1 with gpu=1@1") << "the emptiest";
  EXPECT_EQ(this->place("f", {{"gpu", 1}}), "app/f#6 on node-1 with gpu=1@0") << "3 free: the choice is left";
  EXPECT_EQ(this->place("g", {{"gpu", 1}}), "app/g#7 on node-1 with gpu=1@1");
}

TYPED_TEST(RulesOfChosenDevices, OneWithoutRoomIsNotTaken) {
  this->begin();
  this->add("node-1", {{"gpu", 10}}, {.attributes = {{"tenon/devices/gpu", "2x5"}}});
  EXPECT_EQ(this->place("a", {{"gpu", 4}}, {.required_node = "node-1"}), "app/a#1 on node-1 with gpu=4@0");
  EXPECT_EQ(this->place("b", {{"gpu", 3}}), "app/b#2 on node-1 with gpu=3@1") << "6 free: the first is named";
}

TYPED_TEST(RulesOfChosenDevices, TheyAreAsManyAsTheAskWants) {
  this->begin();
  this->add("node-1", {{"gpu", 16}}, {.attributes = {{"tenon/devices/gpu", "4x4"}}});
  EXPECT_EQ(this->place("a", {{"gpu", 2}}, {.tags = {{"tenon/devices/gpu", "2x1"}}}),
            "app/a#1 on node-1 with gpu=1@2,3");
  EXPECT_EQ(this->place("b", {{"gpu", 8}}), "app/b#2 on node-1 with gpu=4@0,1");
}

TYPED_TEST(RulesOfChosenDevices, OtherTypesAreTheSchedulers) {
  this->begin();
  this->add("node-1", {{"gpu", 8}, {"fpga", 2}},
            {.attributes = {{"tenon/devices/gpu", "2x4"}, {"tenon/devices/fpga", "2x1"}}});
  EXPECT_EQ(this->place("a", {{"gpu", 1}, {"fpga", 1}}), "app/a#1 on node-1 with fpga=1@0;gpu=1@1");
  EXPECT_EQ(this->place("b", {{"fpga", 1}}), "app/b#2 on node-1 with fpga=1@1");
}

TYPED_TEST(RulesOfChosenDevices, AnApplicationChoosesTheOrderThatChooses) {
  this->begin("fair");
  this->add("node-1", {{"gpu", 8}}, two_devices);
  this->add_app("own", {.tags = {{"tenon/node-sort", "emptiest-devices"}}});
  this->ask("own", "a", {{"gpu", 1}});
  EXPECT_THAT(this->placed(), ElementsAre("own/a#1 on node-1 with gpu=1@1"));
  EXPECT_EQ(this->place("a", {{"gpu", 1}}), "app/a#2 on node-1 with gpu=1@1") << "the one with the least free";
}

TYPED_TEST(RulesOfChosenDevices, WhereTheOrderDidNotFindTheNodeThoseWithTheLeastFreeAreTaken) {
  this->begin();
  this->add("node-1", {{"gpu", 8}, {"vcore", 4}}, two_devices);
  EXPECT_EQ(this->place("a", {{"gpu", 1}}, {.required_node = "node-1"}), "app/a#1 on node-1 with gpu=1@0");
  this->give_back("app", "a");
  EXPECT_THAT(this->put("node-1", this->existing("app", "b", {{"gpu", 1}})), Contains(HasSubstr("with gpu=1@0")));
  this->give_back("app", "b");
  EXPECT_EQ(this->place("cores", {{"vcore", 4}}), "app/cores#3 on node-1");
  this->ask("app", "c", {{"gpu", 1}, {"vcore", 1}});
  this->add("node-2", {{"vcore", 1}});
  EXPECT_THAT(this->schedule(9), IsEmpty());
  this->wait(2 * second);
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved app/c on node-1"));
  this->give_back("app", "cores");
  EXPECT_THAT(this->placed(), ElementsAre("app/c#4 on node-1 with gpu=1@0"));
}

TYPED_TEST(RulesOfChosenDevices, AnAskWithAReservationThatFindsAnotherNodeTakesThem) {
  this->begin();
  this->add("node-1", {{"gpu", 8}, {"vcore", 4}}, two_devices);
  EXPECT_EQ(this->place("cores", {{"vcore", 4}}), "app/cores#1 on node-1");
  this->ask("app", "a", {{"gpu", 1}, {"vcore", 1}});
  this->add("node-2", {{"vcore", 1}});
  this->schedule(9);
  this->wait(2 * second);
  EXPECT_THAT(this->schedule(9), ElementsAre("reserved app/a on node-1"));
  this->add("node-3", {{"gpu", 8}, {"vcore", 4}}, two_devices);
  EXPECT_THAT(this->placed(), ElementsAre("app/a#2 on node-3 with gpu=1@1"));
}

TYPED_TEST(RulesOfChosenDevices, APlacementThatTheResourceManagerChecksHasThemAlready) {
  this->check_deadline_ms_ = 10 * second;
  this->begin();
  this->add("node-1", {{"gpu", 8}}, two_devices);
  this->ask("app", "a", {{"gpu", 1}});
  EXPECT_THAT(this->schedule(9), Contains("proposed app/a#1 on node-1 with gpu=1@1"));
  EXPECT_THAT(this->accept(1), Contains("allocated app/a#1 on node-1 with gpu=1@1"));
}

TYPED_TEST(RulesOfChosenDevices, AReplacementOnAnotherNodeTakesThem) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, two_devices);
  this->add_app("gang", {.placeholder_ask = {{"gpu", 1}}});
  this->ask("gang", "ph", {{"gpu", 1}}, {.task_group = "tg", .placeholder = true});
  EXPECT_THAT(this->placed(), ElementsAre("gang/ph#1 on node-1 with gpu=1@1"));
  node_options elsewhere = two_devices;
  elsewhere.attributes["si/zone"] = "b";
  this->add("node-2", {{"gpu", 8}}, elsewhere);
  this->ask("gang", "real", {{"gpu", 1}}, {.tags = {{"si/zone", "b"}}, .task_group = "tg"});
  EXPECT_THAT(this->schedule(9), Contains(HasSubstr("released gang/ph#1 on node-1 PLACEHOLDER_REPLACED")));
  EXPECT_THAT(this->node_of("node-2")->devices["gpu"], ElementsAre(4, 3)) << "from the beginning";
  EXPECT_THAT(this->give_back("gang", "ph", termination::placeholder_replaced),
              Contains("allocated gang/real#2 on node-2 with gpu=1@1"));
}

// "waits" has node-1 reserved and no room in its queue before the victim on node-2 is gone.
TYPED_TEST(RulesOfChosenDevices, OnAReservedNodeThoseWithTheLeastFreeAreTaken) {
  queue_config first = guaranteed("first", {{"vcore", 6}});
  first.properties = {{"preemption.delay", "1s"}};
  queue_config ours = make_queue("ours", {first, make_queue("second")});
  ours.max = {{"vcore", 6}};
  cluster_config c = make_cluster({ours, make_queue("theirs")});
  c.partitions[0].node_sort.type = "emptiest-devices";
  c.partitions[0].tuning.reservation_backfill = true;
  this->start(c);
  this->add("node-1", {{"gpu", 16}, {"vcore", 10}}, {.attributes = {{"tenon/devices/gpu", "2x8"}}});
  this->add("node-2", {{"vcore", 4}});
  this->add_app("us", {.queue = "root.ours.first"});
  this->add_app("victim", {.queue = "root.ours.second"});
  this->add_app("they", {.queue = "root.theirs"});
  this->ask("they", "part", {{"gpu", 2}}, {.required_node = "node-1"});
  this->ask("victim", "fills", {{"vcore", 4}});
  this->schedule(9);
  this->ask("us", "waits", {{"gpu", 8}, {"vcore", 4}}, {.preempt_other = true});
  this->wait(2 * second);
  EXPECT_THAT(this->schedule(9), Contains("reserved us/waits on node-1"));
  this->ask("they", "takes", {{"gpu", 2}});
  EXPECT_THAT(this->placed(), ElementsAre("they/takes#3 on node-1 with gpu=2@0")) << "not 1, which the other waits for";
  this->give_back("victim", "fills", termination::preempted_by_scheduler);
  EXPECT_THAT(this->placed(), ElementsAre("us/waits#4 on node-1 with gpu=8@1"));
}

}  // namespace
}  // namespace tenon::testing
