// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of devices: docs/decisions-devices.md.
#include "scene.hpp"

namespace tenon::testing {
namespace {

const tags_of two_of_four = {{"tenon/devices/gpu", "2x4"}};

template <class T>
class RulesOfDevices : public scene<T> {
 protected:
  void begin() {
    this->start({make_queue("leaf")});
    this->add_app("app-1");
  }
  // Places one ask; where and with what, "" where it waits.
  std::string place(const std::string &key, const amount_map &resources, const ask_options &o = {}) {
    this->ask("app-1", key, resources, o);
    const lines out = this->placed();
    return out.empty() ? "" : out.front();
  }
  std::vector<int64_t> free_on(const std::string &node, const std::string &type = "gpu") {
    auto devices = this->node_of(node)->devices;
    return devices.contains(type) ? devices[type] : std::vector<int64_t>{};
  }
};
TYPED_TEST_SUITE(RulesOfDevices, schedulers);

TYPED_TEST(RulesOfDevices, AShareGoesWhereLeastIsLeft) {
  this->begin();
  this->add("node-1", {{"gpu", 12}}, {.attributes = {{"tenon/devices/gpu", "3x4"}}});
  EXPECT_EQ(this->place("a", {{"gpu", 1}}), "app-1/a#1 on node-1 with gpu=1@0");
  EXPECT_EQ(this->place("b", {{"gpu", 2}}), "app-1/b#2 on node-1 with gpu=2@0");
  EXPECT_EQ(this->place("c", {{"gpu", 3}}), "app-1/c#3 on node-1 with gpu=3@1");
  EXPECT_EQ(this->place("d", {{"gpu", 1}}), "app-1/d#4 on node-1 with gpu=1@0") << "both have 1 free";
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(0, 1, 4));
}

TYPED_TEST(RulesOfDevices, WholeOnesAreWhole) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = two_of_four});
  EXPECT_EQ(this->place("a", {{"gpu", 1}}), "app-1/a#1 on node-1 with gpu=1@0");
  EXPECT_EQ(this->place("b", {{"gpu", 8}}), "") << "7 in sum";
  EXPECT_EQ(this->place("c", {{"gpu", 6}}), "") << "no whole number of devices";
  EXPECT_EQ(this->place("d", {{"gpu", 4}}), "app-1/d#2 on node-1 with gpu=4@1");
  EXPECT_EQ(this->place("e", {{"gpu", 3}}), "app-1/e#3 on node-1 with gpu=3@0");
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(0, 0));
}

TYPED_TEST(RulesOfDevices, TheSumWithoutADeviceIsNoRoom) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = two_of_four});
  this->ask("app-1", "a", {{"gpu", 3}}, {.count = 2});
  this->placed();
  EXPECT_EQ(this->place("b", {{"gpu", 2}}), "");
  this->give_back("app-1", "a", termination::stopped_by_rm, release_what::allocations, 1);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/b#3 on node-1 with gpu=2@0"));
}

TYPED_TEST(RulesOfDevices, ATagSaysHowMany) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = two_of_four});
  this->add("node-2", {{"gpu", 8}});
  EXPECT_EQ(this->place("a", {{"gpu", 2}}, {.tags = {{"tenon/devices/gpu", "2x1"}}}),
            "app-1/a#1 on node-1 with gpu=1@0,1");
  EXPECT_EQ(this->place("b", {{"gpu", 6}}, {.tags = {{"tenon/devices/gpu", "2x3"}}}),
            "app-1/b#2 on node-1 with gpu=3@0,1");
  EXPECT_EQ(this->place("c", {{"gpu", 6}}, {.tags = {{"tenon/devices/gpu", "3x2"}}}), "app-1/c#3 on node-2")
      << "which is a sum";
}

TYPED_TEST(RulesOfDevices, AsksThatDifferInTheTagWaitApart) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = two_of_four});
  this->ask("app-1", "a", {{"gpu", 3}}, {.count = 2});
  this->placed();
  EXPECT_EQ(this->place("b", {{"gpu", 2}}), "");
  EXPECT_EQ(this->place("c", {{"gpu", 2}}, {.tags = {{"tenon/devices/gpu", "2x1"}}}),
            "app-1/c#3 on node-1 with gpu=1@0,1");
}

TYPED_TEST(RulesOfDevices, TwoTypesAreBothDivided) {
  this->begin();
  this->add("node-1", {{"gpu", 8}, {"fpga", 2}, {"vcore", 9}},
            {.attributes = {{"tenon/devices/gpu", "2x4"}, {"tenon/devices/fpga", "2x1"}}});
  EXPECT_EQ(this->place("a", {{"gpu", 2}, {"fpga", 2}, {"vcore", 1}}), "app-1/a#1 on node-1 with fpga=1@0,1;gpu=2@0");
  EXPECT_EQ(this->place("b", {{"gpu", 2}, {"fpga", 1}}), "");
  EXPECT_EQ(this->place("c", {{"gpu", 4}, {"vcore", 1}}), "app-1/c#2 on node-1 with gpu=4@1");
}

TYPED_TEST(RulesOfDevices, WhatIsNotWrittenRightIsRejected) {
  this->begin();
  const std::string prefix = ": failure while adding new node, node rejected with error: ";
  const std::string wanted = ", but 1 to 64 devices and what each has are needed; write it as 8x1000";
  for (const char *bad :
       {"", "8", "x1000", "0x4", "4x0", "65x1", "08x4", "8x04", "8 x4", "-8x4", "1x9223372036854775808"}) {
    EXPECT_THAT(this->add("node-1", {{"gpu", 8}}, {.attributes = {{"tenon/devices/gpu", bad}}}),
                ElementsAre("node_rejected on node-1" + prefix + "tenon/devices/gpu is \"" + bad + "\"" + wanted));
  }
  for (const char *bad : {"tenon/devices/", "tenon/devices/a=b", "tenon/devices/a;b"}) {
    EXPECT_THAT(this->add("node-1", {{"gpu", 8}}, {.attributes = {{bad, "2x4"}}}),
                ElementsAre("node_rejected on node-1" + prefix + bad +
                            " names no type that can be divided into devices; use a name without ; and = behind "
                            "tenon/devices/"));
  }
  this->add("node-1", {{"gpu", 8}}, {.attributes = {{"tenon/devices/gpu", "64x1"}, {"Tenon/devices/gpu", "none"}}});
  EXPECT_EQ(this->free_on("node-1").size(), 64U);
  EXPECT_THAT(this->set_attributes("node-1", {{"tenon/devices/gpu", "2X4"}}),
              ElementsAre("node_update_rejected on node-1: tenon/devices/gpu is \"2X4\"" + wanted));
  EXPECT_THAT(this->ask("app-1", "a", {{"gpu", 4}}, {.tags = {{"tenon/devices/gpu", "4"}}}),
              ElementsAre("ask_rejected app-1/a: tenon/devices/gpu is \"4\"" + wanted));
  EXPECT_THAT(
      this->ask("app-1", "a", {{"gpu", 4}}, {.tags = {{"tenon/devices/gpu", "2x4"}}}),
      ElementsAre("ask_rejected app-1/a: the devices 2x4 do not add up to the 4 gpu that are asked for; change tag "
                  "tenon/devices/gpu or the amount"));
  EXPECT_THAT(
      this->ask("app-1", "a", {{"gpu", 4}}, {.tags = {{"tenon/devices/other", "64x9223372036854775807"}}}),
      ElementsAre("ask_rejected app-1/a: the devices 64x9223372036854775807 do not add up to the 0 other that are "
                  "asked for; change tag tenon/devices/other or the amount"));
}

TYPED_TEST(RulesOfDevices, ADividedTypeCountsAsAType) {
  this->begin();
  for (int i = 0; i < 63; ++i) this->add("node-" + std::to_string(i), {{"type-" + std::to_string(i), 1}});
  EXPECT_THAT(this->add("node-63", {{"type-63", 8}}, {.attributes = {{"tenon/devices/type-64", "1x1"}}}),
              ElementsAre(HasSubstr("resource type type-64 is one more than the 64")));
  EXPECT_THAT(this->add("node-63", {{"type-63", 8}}, {.attributes = {{"tenon/devices/type-63", "1x1"}}}),
              ElementsAre("node_accepted on node-63"));
}

TYPED_TEST(RulesOfDevices, WhatExistsKeepsItsDevices) {
  this->begin();
  const auto share = [&](const std::string &key, int64_t amount) {
    return this->existing("app-1", key, {{"gpu", amount}});
  };
  EXPECT_THAT(
      this->add(
          "node-1", {{"gpu", 8}},
          {.attributes = two_of_four,
           .existing = {this->with_detail(share("a", 3), "gpu=3@1"), share("b", 2), share("c", 1), share("d", 4)}}),
      ElementsAre("node_accepted on node-1", "application_state app-1 Accepted",
                  "allocated app-1/a#1 on node-1 existing with gpu=3@1", "application_state app-1 Starting",
                  "allocated app-1/b#2 on node-1 existing with gpu=2@0", "application_state app-1 Running",
                  "allocated app-1/c#3 on node-1 existing with gpu=1@1", "allocated app-1/d#4 on node-1 existing"))
      << "nobody knows the devices of the last";
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(2, 0));
  EXPECT_EQ(this->node_of("node-1")->available, (amount_map{{"gpu", -2}}));
  EXPECT_THAT(
      this->give_back("app-1", "a"),
      ElementsAre("released app-1/a#1 on node-1 STOPPED_BY_RM: allocation remove as per RM request with gpu=3@1"));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(2, 3));
}

TYPED_TEST(RulesOfDevices, ADetailHoldsWhateverTheNodeHas) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = two_of_four});
  for (const char *key : {"a", "b"}) {
    EXPECT_THAT(this->put("node-1", this->with_detail(this->existing("app-1", key, {{"gpu", 6}}), "gpu=3@0,5")),
                ::testing::Contains(HasSubstr("with gpu=3@0,5")));
  }
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(-2, 4)) << "more than there is, and a device that is not there";
  this->set_attributes("node-1", {{"tenon/devices/gpu", "6x4"}});
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(-2, 4, 4, 4, 4, -2));
}

TYPED_TEST(RulesOfDevices, ADetailThatCannotBeIsRejected) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = two_of_four});
  const auto put = [&](const std::string &detail) {
    return this->put("node-1", this->with_detail(this->existing("app-1", "a", {{"gpu", 4}}), detail));
  };
  for (const char *bad : {"gpu", "gpu=4", "gpu=4@", "gpu=4@64", "gpu=04@0", "gpu=2@1,0", "gpu=2@0,0", "gpu=4@0;",
                          "=4@0", ";gpu=4@0", "gpu=2@0;gpu=2@1", "gpu=4@00", "gpu=4@0,", "gpu=0@0", "gpu=4@0 "}) {
    EXPECT_THAT(
        put(bad),
        ElementsAre(std::string("allocation_rejected app-1/a on node-1: detail \"") + bad +
                    "\" of allocation a is not written as the scheduler writes it, as gpu=500@0,3; send it as it came "
                    "with the allocation, or leave it out"));
  }
  EXPECT_THAT(
      put("gpu=3@0"),
      ElementsAre("allocation_rejected app-1/a on node-1: detail \"gpu=3@0\" of allocation a does not add up to "
                  "its 4 of gpu; send both as they came with the allocation, or leave the detail out"));
  EXPECT_THAT(put("fpga=1@0;gpu=4@0"), ElementsAre(HasSubstr("does not add up to its 0 of fpga")));
  EXPECT_THAT(this->add("node-2", {{"gpu", 8}},
                        {.existing = {this->with_detail(this->existing("app-1", "b", {{"gpu", 4}}), "gpu=1@0")}}),
              ElementsAre(HasSubstr("failed to restore allocation b: detail \"gpu=1@0\"")));
  EXPECT_THAT(this->put("node-1", this->with_detail(this->foreign("pod", {{"gpu", 2}}), "gpu=1@0")),
              ElementsAre(HasSubstr("detail \"gpu=1@0\" of allocation pod does not add up to its 2 of gpu")));
}

TYPED_TEST(RulesOfDevices, WhatOthersUseHasDevicesOnlyByDetail) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = two_of_four});
  this->put("node-1", this->with_detail(this->foreign("pod-1", {{"gpu", 3}}), "gpu=3@0"));
  this->put("node-1", this->foreign("pod-2", {{"gpu", 1}}));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(1, 4));
  EXPECT_EQ(this->place("a", {{"gpu", 4}}), "app-1/a#1 on node-1 with gpu=4@1");
  EXPECT_EQ(this->place("b", {{"gpu", 1}}), "") << "the sum is used up";
  this->run(release{"[rm]default", "", "pod-1"});
  EXPECT_THAT(this->placed(), ElementsAre("app-1/b#2 on node-1 with gpu=1@0"));
}

TYPED_TEST(RulesOfDevices, WhatChangesItsSizeKeepsItsDevices) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = two_of_four});
  this->ask("app-1", "a", {{"gpu", 4}}, {.tags = {{"tenon/devices/gpu", "2x2"}}});
  this->placed();
  const auto resize = [&](int64_t amount, const std::string &detail) {
    this->put("node-1", this->with_detail(this->existing("app-1", "a", {{"gpu", amount}}), detail));
    return this->app("app-1")->allocations.front().detail;
  };
  EXPECT_EQ(resize(6, ""), "gpu=3@0,1");
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(1, 1));
  EXPECT_EQ(resize(6, "gpu=6@1"), "gpu=6@1");
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(4, -2));
  EXPECT_EQ(resize(4, "gpu=2@0,1"), "gpu=2@0,1");
  EXPECT_EQ(resize(3, ""), "") << "which two cannot share";
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(4, 4));
  EXPECT_EQ(resize(2, ""), "") << "and nobody knows any more";
}

TYPED_TEST(RulesOfDevices, ANodeIsDividedWhileThingsRun) {
  this->begin();
  this->add("node-1", {{"gpu", 8}});
  this->add("node-2", {{"gpu", 5}, {"vcore", 1}});
  EXPECT_EQ(this->place("a", {{"gpu", 3}}), "app-1/a#1 on node-1");
  this->set_attributes("node-1", two_of_four);
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(4, 4)) << "nobody knows where it runs";
  EXPECT_EQ(this->place("b", {{"gpu", 4}}), "app-1/b#2 on node-1 with gpu=4@0");
  EXPECT_EQ(this->place("c", {{"gpu", 5}}), "app-1/c#3 on node-2") << "which was never divided";
  this->set_attributes("node-1", {});
  EXPECT_THAT(this->free_on("node-1"), IsEmpty());
  EXPECT_EQ(this->place("d", {{"gpu", 1}}), "app-1/d#4 on node-1") << "a sum again";
  this->set_attributes("node-1", {{"tenon/devices/gpu", "1x4"}});
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(0)) << "the device that b holds";
  EXPECT_THAT(this->give_back("app-1", "b"), ElementsAre(HasSubstr("with gpu=4@0")));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(4));
}

TYPED_TEST(RulesOfDevices, DevicesThatComeWakeWhatWaits) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = {{"tenon/devices/gpu", "4x2"}}});
  EXPECT_EQ(this->place("a", {{"gpu", 3}}), "");
  this->set_attributes("node-1", two_of_four);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/a#1 on node-1 with gpu=3@0"));
}

TYPED_TEST(RulesOfDevices, NodesOfAnotherDivisionDoNotHideEachOther) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = {{"tenon/devices/gpu", "8x1"}}});
  this->add("node-2", {{"gpu", 8}}, {.attributes = two_of_four});
  this->add("node-3", {{"gpu", 3}});
  EXPECT_EQ(this->place("a", {{"gpu", 3}}, {.tags = {{"tenon/devices/gpu", "1x3"}}}),
            "app-1/a#1 on node-2 with gpu=3@0");
  EXPECT_EQ(this->place("b", {{"gpu", 3}}), "app-1/b#2 on node-1 with gpu=1@0,1,2");
  EXPECT_EQ(this->place("c", {{"gpu", 3}}, {.tags = {{"tenon/devices/gpu", "1x3"}}}),
            "app-1/c#3 on node-2 with gpu=3@1");
  EXPECT_EQ(this->place("d", {{"gpu", 3}}, {.tags = {{"tenon/devices/gpu", "1x3"}}}), "app-1/d#4 on node-3");
}

TYPED_TEST(RulesOfDevices, EveryEndFreesThem) {
  this->begin();
  this->add("node-1", {{"gpu", 8}}, {.attributes = two_of_four});
  const std::vector<int64_t> all_free{4, 4};
  this->place("a", {{"gpu", 3}}, {.execution_timeout_ms = second});
  EXPECT_THAT(this->wait(second), ElementsAre(HasSubstr("with gpu=3@0")));
  EXPECT_THAT(this->free_on("node-1"), ElementsAre(1, 4)) << "until the RM confirms";
  this->give_back("app-1", "a", termination::timeout);
  EXPECT_EQ(this->free_on("node-1"), all_free);
  this->place("b", {{"gpu", 3}});
  this->give_back("app-1", "b", termination::scheduling_failed);
  EXPECT_EQ(this->free_on("node-1"), all_free);
  this->wait(second);
  EXPECT_THAT(this->placed(), ElementsAre("app-1/b#3 on node-1 with gpu=3@0"));
  EXPECT_THAT(this->remove_app("app-1"), ElementsAre(HasSubstr("with gpu=3@0")));
  EXPECT_EQ(this->free_on("node-1"), all_free);
}

}  // namespace
}  // namespace tenon::testing
