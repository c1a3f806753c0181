// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of claims: whose guarantee lets an ask preempt, against whom, and for how long.
#include "guaranteed.hpp"
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
class RulesOfClaims : public scene<T> {
 protected:
  // A node of 10 vcores, full: "mine" has so much of it, "theirs" the rest, in pieces of 1.
  void begin(std::vector<queue_config> queues, const std::string &mine, const std::string &theirs, int32_t has) {
    cluster_config c = make_cluster(std::move(queues));
    c.partitions[0].tuning.reservation_enabled = false;
    this->start(c);
    this->add("node-1", {{"vcore", 10}});
    this->add_app("us", {.queue = mine});
    this->add_app("them", {.queue = theirs});
    if (has > 0) this->ask("us", "has", {{"vcore", 1}}, {.count = has});
    this->ask("them", "a", {{"vcore", 1}}, {.count = 10 - has});
    EXPECT_EQ(this->placed().size(), 10U);
  }
  size_t victims_of(int64_t wanted, const amount_map &beside = {}) {
    amount_map all = beside;
    all["vcore"] = wanted;
    this->ask("us", "wants", all, {.preempt_other = true});
    this->wait(60 * second);
    size_t out = 0;
    for (const std::string &line : this->schedule(20)) out += line.find("PREEMPTED_BY_SCHEDULER") != std::string::npos;
    return out;
  }
};
TYPED_TEST_SUITE(RulesOfClaims, schedulers);

TYPED_TEST(RulesOfClaims, AGuaranteeThatIsUsedUpClaimsNothing) {
  this->begin({guaranteed("ours", {{"vcore", 4}}), make_queue("theirs")}, "root.ours", "root.theirs", 3);
  EXPECT_EQ(this->victims_of(2), 0U);
  EXPECT_EQ(this->victims_of(1), 1U);
}

TYPED_TEST(RulesOfClaims, TheGuaranteeOfAParentIsAClaimAgainstThoseOutside) {
  const auto team = [] { return guaranteed("team", {{"vcore", 4}}, {make_queue("ours"), make_queue("other")}); };
  this->begin({team(), make_queue("theirs")}, "root.team.ours", "root.theirs", 2);
  EXPECT_EQ(this->victims_of(2), 2U);
  this->begin({team(), make_queue("theirs")}, "root.team.ours", "root.theirs", 2);
  EXPECT_EQ(this->victims_of(3), 0U) << "more than the parent is guaranteed";
}

TYPED_TEST(RulesOfClaims, TheGuaranteeOfAParentIsNoClaimBetweenItsChildren) {
  const auto team = [] { return guaranteed("team", {{"vcore", 20}}, {make_queue("ours"), make_queue("theirs")}); };
  this->begin({team()}, "root.team.ours", "root.team.theirs", 0);
  EXPECT_EQ(this->victims_of(1), 0U);
  queue_config used_up = team();
  used_up.guaranteed = {{"vcore", 4}};
  this->begin({used_up}, "root.team.ours", "root.team.theirs", 0);
  EXPECT_EQ(this->victims_of(1), 0U) << "nor to make up for a guarantee that a sibling used up";
}

TYPED_TEST(RulesOfClaims, TheLeastThatRemainsOnThePathCounts) {
  // The leaf is far below its guarantee, what is above it is not: a sibling has used that up.
  queue_config team = guaranteed("team", {{"vcore", 5}}, {guaranteed("ours", {{"vcore", 4}}), make_queue("other")});
  this->begin({team, make_queue("theirs")}, "root.team.other", "root.theirs", 5);
  this->add_app("mine", {.queue = "root.team.ours"});
  this->ask("mine", "wants", {{"vcore", 1}}, {.preempt_other = true});
  this->wait(60 * second);
  // Between the children of "team" the guarantee of "ours" alone counts: it takes from its sibling, not from outside.
  EXPECT_THAT(this->schedule(20), ::testing::Contains(HasSubstr("released us/has#")));
  EXPECT_EQ(this->queue_at("root.theirs")->preempting, amount_map());
}

TYPED_TEST(RulesOfClaims, AGuaranteeAboveBothProtectsNeither) {
  // "all" has less than its guarantee, which would be shared by everybody in it.
  queue_config all = guaranteed("all", {{"vcore", 90}},
                                {guaranteed("team", {{"vcore", 4}}, {make_queue("ours")}), make_queue("theirs")});
  this->begin({all}, "root.all.team.ours", "root.all.theirs", 0);
  EXPECT_EQ(this->victims_of(2), 2U);
}

TYPED_TEST(RulesOfClaims, WhatAVictimIsGuaranteedBelowThatProtectsIt) {
  queue_config theirs = guaranteed("theirs", {{"vcore", 9}}, {make_queue("leaf")});
  this->begin({guaranteed("ours", {{"vcore", 4}}), theirs}, "root.ours", "root.theirs.leaf", 0);
  EXPECT_EQ(this->victims_of(1), 1U);
  this->begin({guaranteed("ours", {{"vcore", 4}}), theirs}, "root.ours", "root.theirs.leaf", 0);
  EXPECT_EQ(this->victims_of(2), 0U);
}

TYPED_TEST(RulesOfClaims, AGuaranteeOfAnotherTypeClaimsNothingAndOneAboveDoes) {
  queue_config ours = guaranteed("ours", {{"gpu", 4}});
  this->begin({ours, make_queue("theirs")}, "root.ours", "root.theirs", 0);
  EXPECT_EQ(this->victims_of(1), 0U);
  this->begin({guaranteed("team", {{"vcore", 4}}, {ours}), make_queue("theirs")}, "root.team.ours", "root.theirs", 0);
  EXPECT_EQ(this->victims_of(1), 1U);
}

}  // namespace
}  // namespace tenon::testing
