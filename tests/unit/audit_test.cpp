// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What an audit finds in states that were altered.
#include "tenon/kernel/audit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/cluster.hpp"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Audit : public ::testing::Test {
 protected:
  Audit() {
    c_.add_node("node", {{"vcore", 10}});
    c_.add_app("app", "root.parent.leaf", "alice");
    c_.ask("app", "runs", {{"vcore", 4}});
    c_.ask("app", "waits", {{"vcore", 8}});
    c_.settle();
    state_ = c_->snapshot();
  }
  [[nodiscard]] std::vector<std::string> found() const {
    std::vector<std::string> out;
    for (const audit_finding &f : audit(state_)) out.push_back(text_of(f));
    return out;
  }
  partition_snapshot &p() { return state_.partitions.at(0); }

  testing::cluster c_{{testing::named_queue("parent", {}, {testing::named_queue("leaf")})}};
  kernel_snapshot state_;
};

TEST_F(Audit, FindsNothingInWhatAKernelHas) { EXPECT_THAT(found(), IsEmpty()); }

TEST_F(Audit, FindsTheQueueWhoseSumIsAnother) {
  p().queues.at(2).allocated["vcore"] = 5;
  EXPECT_THAT(found(), ElementsAre("[rm]default: root.parent.leaf: allocated is map[vcore:5], and sums to map[vcore:4]",
                                   "[rm]default: root.parent: allocated is map[vcore:4], and sums to map[vcore:5]"));
}

TEST_F(Audit, FindsWhatIsPendingAndWhoHasAPlace) {
  p().queues.at(2).pending = {};
  p().queues.at(2).running_apps = p().queues.at(1).running_apps = p().queues.at(0).running_apps = 2;
  p().queues.at(1).pending = p().queues.at(0).pending = {};
  EXPECT_THAT(found(),
              ElementsAre("[rm]default: root.parent.leaf: pending is map[], and sums to map[vcore:8]",
                          "[rm]default: root.parent.leaf: 2 applications have places, of 1 that run and 0 that may"));
}

TEST_F(Audit, FindsTheUserAndTheApplication) {
  for (usage_snapshot &one : p().users) one.usage["vcore"] += one.queue == "root" ? 1 : 0;
  p().applications.at(0).placeholders["vcore"] = 1;
  const auto all = audit(state_);
  EXPECT_THAT(all, ::testing::Contains(::testing::Field(&audit_finding::of, "app")));
  p().applications.at(0).placeholders.clear();
  EXPECT_THAT(found(), ElementsAre("[rm]default: user alice in root: usage is map[vcore:5], and sums to map[vcore:4]"));
}

TEST_F(Audit, FindsAnAllocationThatIsNotOnItsNode) {
  p().nodes.at(0).allocations.clear();
  EXPECT_THAT(found(), ElementsAre("[rm]default: app/runs#1: node node does not have it"));
  p().nodes.clear();
  p().capacity.clear();
  EXPECT_THAT(found(), ElementsAre("[rm]default: app/runs#1: there is no node node"));
}

TEST_F(Audit, FindsAnAllocationOfNobody) {
  p().nodes.at(0).allocations.emplace_back("other/a#7");
  EXPECT_THAT(found(), ElementsAre("[rm]default: other/a#7: node node has it, and no application"));
}

TEST_F(Audit, FindsAReservationOfNobody) {
  p().nodes.at(0).reservations.emplace_back("app/gone");
  EXPECT_THAT(found(), ElementsAre("[rm]default: app/gone: it is reserved, and not pending"));
}

TEST_F(Audit, FindsANodeThatHasLessThanNothing) {
  p().nodes.at(0).occupied["vcore"] = -1;
  EXPECT_THAT(found(), ElementsAre("[rm]default: node: available is map[vcore:6], and sums to map[vcore:7]",
                                   "[rm]default: node: an amount is below zero"));
}

}  // namespace
}  // namespace tenon
