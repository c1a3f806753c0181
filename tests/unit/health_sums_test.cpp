// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sums that health looks at, of states that a kernel comes to.
#include "health_sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/cluster.hpp"

namespace tenon::observe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> failures(const kernel_snapshot &state) {
  std::vector<std::string> out;
  for (const health_check &one : look_at_sums_of(state))
    if (one.is == health_check::state::fails) out.push_back(one.diagnosis);
  return out;
}

std::vector<std::string> warnings(const kernel_snapshot &state) {
  std::vector<std::string> out;
  for (const health_check &one : look_at_sums_of(state))
    if (one.is == health_check::state::warns) out.push_back(one.diagnosis);
  return out;
}

class HealthSums : public ::testing::Test {
 protected:
  HealthSums() {
    c_.add_node("node", {{"vcore", 10}, {"memory", 10}});
    c_.add_app("app", "root.leaf");
    for (int i = 0; i < 8; ++i) c_.ask("app", "ask-" + std::to_string(i), {{"vcore", 1}});
    c_.settle();
  }
  tenon::testing::cluster c_{{tenon::testing::named_queue("leaf")}};
};

TEST_F(HealthSums, ANodeThatHasLessThanRunsOnItIsWell) {
  EXPECT_THAT(failures(c_->snapshot()), IsEmpty());
  c_.set_capacity("node", {{"vcore", 3}, {"memory", 10}});
  EXPECT_EQ(c_->snapshot().partitions.at(0).nodes.at(0).available.at("vcore"), -5);
  EXPECT_THAT(failures(c_->snapshot()), IsEmpty());
  c_.set_capacity("node", {});
  EXPECT_THAT(failures(c_->snapshot()), IsEmpty()) << "a type that the node no longer has";
}

TEST_F(HealthSums, ANodeOnWhichOthersUseMoreThanIsLeftIsWell) {
  const named_amount much[] = {{"vcore", 9}, {"gpu", 2}};
  update_node occupied;
  occupied.partition = tenon::testing::default_partition;
  occupied.node = "node";
  occupied.occupied = much;
  occupied.has_occupied = true;
  c_.run(occupied);
  EXPECT_EQ(c_->snapshot().partitions.at(0).nodes.at(0).available,
            (amount_map{{"vcore", -7}, {"memory", 10}, {"gpu", -2}}));
  EXPECT_THAT(failures(c_->snapshot()), IsEmpty());
}

TEST_F(HealthSums, ANodeWhoseSumsDoNotAgreeFails) {
  kernel_snapshot state = c_->snapshot();
  state.partitions.at(0).nodes.at(0).available["vcore"] = 1;
  EXPECT_THAT(failures(state), ElementsAre(StartsWith("Nodes with inconsistent data: node")));
}

TEST_F(HealthSums, AsksThatAreLargerThanEveryNodeOrThanAMaxAreNamed) {
  const auto warned = [&] {
    for (const health_check &one : look_at_sums_of(c_->snapshot()))
      if (one.name == "Asks") return one.diagnosis;
    return std::string("no such check");
  };
  c_.add_node("other", {{"vcore", 4}, {"memory", 2048}});
  c_.ask("app", "waits", {{"vcore", 10}, {"memory", 10}});  // the first node is full now, and is large enough
  EXPECT_EQ(warned(), "");
  c_.ask("app", "wide", {{"vcore", 11}});
  c_.ask("app", "both", {{"vcore", 5}, {"memory", 11}});
  c_.ask("app", "gpus", {{"gpu", 1}});
  EXPECT_EQ(warned(),
            "Asks that can never run as the cluster is: app/wide (asks 0.011 of vcore, the largest node has 0.01), "
            "app/both (no node has all of what it asks for), app/gpus (asks 1 of gpu, no node has any)");
  kernel_snapshot state = c_->snapshot();
  for (queue_snapshot &one : state.partitions.at(0).queues)
    if (one.path == "root.leaf") one.max = amount_map{{"memory", 1}};
  EXPECT_THAT(warnings(state),
              ElementsAre(HasSubstr("app/waits (asks 10 of memory, the max of queue root.leaf is 1)")));
  state.partitions.at(0).nodes.clear();
  EXPECT_THAT(warnings(state),
              ElementsAre("Asks that can never run as the cluster is: app/waits (asks 10 of memory, the "
                          "max of queue root.leaf is 1), app/both (asks 11 of memory, the max of queue "
                          "root.leaf is 1)"))
      << "where no node is there yet, none is missed";
}

}  // namespace
}  // namespace tenon::observe
