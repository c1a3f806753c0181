// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A predicate for some applications: only their asks are asked about, nothing that was found out about these holds for
// others, its faults bring it back, and a replay, a copy and a saved state decide the same.
#include <gmock/gmock.h>

#include "cluster.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// No predicate is asked about all; `node-attributes` of a canary fails while it is told to.
struct attributes_source : builtin_policy_source {
  struct shaky_predicate : bound_policy {
    shaky_predicate(std::unique_ptr<bound_policy> sound, attributes_source &of)
        : bound_policy(*sound), inner(std::move(sound)), source(of) {
      if (of.reads_free) columns.push_back({"node.free"});
      instance = reinterpret_cast<tenon_instance *>(this);
      table.filter = [](tenon_instance *self, const tenon_batch *batch, tenon_filter_out *out) {
        const auto &one = *reinterpret_cast<shaky_predicate *>(self);
        ++one.source.asked;
        if (one.source.fails) return tenon_status{TENON_INTERNAL};
        return one.inner->predicate->filter(one.inner->instance, batch, out);
      };
      table.signature = [](tenon_instance *self, const tenon_batch *batch, tenon_signature_out *out) {
        const auto &one = *reinterpret_cast<shaky_predicate *>(self);
        if (one.source.fails_to_sign) return tenon_status{TENON_INTERNAL};
        return one.inner->predicate->signature(one.inner->instance, batch, out);
      };
      predicate = &table;
    }
    std::unique_ptr<bound_policy> inner;
    attributes_source &source;
    tenon_predicate_v1 table{sizeof(tenon_predicate_v1), 0, nullptr, nullptr, nullptr};
  };

  using builtin_policy_source::builtin_policy_source;
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    if (kind == module_kind::predicate && is_gone) kind = module_kind::identity;
    auto bound = builtin_policy_source::bind(kind, name, configuration, max_resource_types);
    if (!bound || kind != module_kind::predicate) return bound;
    return std::unique_ptr<bound_policy>(std::make_unique<shaky_predicate>(std::move(*bound), *this));
  }
  bool fails = false, fails_to_sign = false, is_gone = false, reads_free = false;
  int asked = 0;
};

class CanaryPredicate : public ::testing::Test {
 protected:
  void start() {
    it_.emplace(policies_, std::vector{named_queue("team"), named_queue("c")});
    it_->add_node("n1", {{"vcore", 100'000}}, {{"si/zone", "a"}});
    it_->add_node("n2", {{"vcore", 100'000}}, {{"si/zone", "b"}});
    it_->add_app("inside", "root.team");
    it_->add_app("outside", "root.c");
  }
  void configure(const std::vector<canary_config> &canary) {
    cluster_config config = it_->config();
    config.partitions[0].canary = canary;
    it_->configure(std::move(config));
  }
  static canary_config of_team(uint32_t faults = 1) {
    canary_config out;
    out.predicate = "node-attributes";
    out.queues = {"root.team"};
    out.back.faults = faults;
    return out;
  }
  // One ask that wants a node of that zone.
  void ask(std::string_view app, std::string_view key, const std::string &zone) {
    it_->ask(app, key, {{"vcore", 1'000}}, 0, {{"si/zone", zone}});
  }
  void step() { it_->run(tenon::step{{}, 100, {}}); }
  [[nodiscard]] canary_snapshot shown() { return (*it_)->snapshot().partitions[0].canary.value(); }

  attributes_source policies_;
  std::optional<cluster> it_;
};

TEST_F(CanaryPredicate, OnlyItsApplicationsAreAskedAbout) {
  start();
  configure({of_team()});
  EXPECT_EQ(shown().kind, "predicate");
  EXPECT_EQ(shown().policy, "node-attributes");
  ask("inside", "k", "none");
  step();
  EXPECT_EQ(it_->placed("inside", "k"), 0U);
  const int asked = policies_.asked;
  EXPECT_GT(asked, 0);
  // The same ask, behind one that no node is for.
  ask("outside", "k", "none");
  step();
  EXPECT_EQ(it_->placed("outside", "k"), 1U);
  EXPECT_EQ(policies_.asked, asked);
  ask("outside", "more", "none");
  ask("inside", "more", "none");
  step();
  EXPECT_EQ(it_->placed("outside", "more"), 1U);
  EXPECT_EQ(it_->placed("inside", "more"), 0U);
  ask("inside", "b", "b");
  step();
  EXPECT_EQ(it_->placed("inside", "b"), 1U);
  EXPECT_EQ(shown().canary.placed, 1U);
  EXPECT_EQ(shown().others.placed, 2U);
}

TEST_F(CanaryPredicate, WhatWaitsIsLookedAtWithItWhenItComesAndWithoutItWhenItGoesBack) {
  start();
  it_->ask("inside", "big", {{"vcore", 90'000}});
  it_->ask("outside", "big", {{"vcore", 90'000}});
  step();
  it_->ask("inside", "late", {{"vcore", 20'000}}, 0, {{"si/zone", "none"}});
  step();
  configure({of_team()});
  it_->give_back("outside", "big");
  step();
  EXPECT_EQ(it_->placed("inside", "late"), 0U);
  it_->run(change_canary{default_partition, canary_turn::back});
  step();
  EXPECT_EQ(it_->placed("inside", "late"), 1U);
  const int asked = policies_.asked;
  ask("inside", "after", "none");
  step();
  EXPECT_EQ(it_->placed("inside", "after"), 1U);
  EXPECT_EQ(policies_.asked, asked) << "nobody asks what went back";
  it_->run(change_canary{default_partition, canary_turn::again});
  ask("inside", "again", "none");
  step();
  EXPECT_EQ(it_->placed("inside", "again"), 0U);
}

TEST_F(CanaryPredicate, WhoIsMovedComesToItOrLeavesIt) {
  start();
  configure({of_team()});
  ask("inside", "k", "none");
  step();
  it_->run(move_application{default_partition, "inside", "root.c", {}});
  it_->run(move_application{default_partition, "outside", "root.team", {}});
  ask("outside", "k", "none");
  step();
  EXPECT_EQ(it_->placed("inside", "k"), 1U);
  EXPECT_EQ(it_->placed("outside", "k"), 0U);
}

TEST_F(CanaryPredicate, AFaultBringsItBackAndTouchesNobodyElse) {
  start();
  configure({of_team()});
  policies_.fails = true;
  ask("outside", "k", "a");
  step();
  EXPECT_EQ(it_->placed("outside", "k"), 1U);
  EXPECT_TRUE(shown().active);
  ask("inside", "k", "none");
  step();
  EXPECT_FALSE(shown().active);
  EXPECT_EQ(shown().why, "the predicate node-attributes failed: its applications are placed without it again");
  EXPECT_THAT(it_->decisions(), Contains(AllOf(HasSubstr("\tcanary_back\trm\t[rm]default\t"), HasSubstr("failed"))));
  EXPECT_EQ((*it_)->counters().canaries_back, 1U);
  step();
  EXPECT_EQ(it_->placed("inside", "k"), 1U);
}

TEST_F(CanaryPredicate, ItThatCannotSignAnAskIsAtFaultWithTheCommand) {
  start();
  configure({of_team()});
  policies_.fails_to_sign = true;
  ask("inside", "k", "none");
  EXPECT_FALSE(shown().active);
  step();
  EXPECT_EQ(it_->placed("inside", "k"), 1U);
}

TEST_F(CanaryPredicate, WithMoreFaultsItsAsksWaitForASecondAndThenItIsAskedAgain) {
  start();
  configure({of_team(2)});
  policies_.fails = true;
  ask("inside", "k", "a");
  step();
  step();
  EXPECT_EQ(shown().faults, 1U) << "it is not asked again for a second";
  policies_.fails = false;
  step();
  EXPECT_EQ(it_->placed("inside", "k"), 0U);
  it_->advance(1'000);
  step();
  EXPECT_EQ(it_->placed("inside", "k"), 1U);
  policies_.fails = true;
  ask("inside", "more", "b");
  step();
  EXPECT_FALSE(shown().active);
  EXPECT_THAT(shown().why, HasSubstr("failed 2 times"));
}

TEST_F(CanaryPredicate, WhatReadsAmountsIsAskedAgainWhenTheyChange) {
  for (const bool reads_free : {false, true}) {
    policies_.reads_free = reads_free;
    start();
    configure({of_team()});
    ask("inside", "k", "a");
    step();
    policies_.asked = 0;
    ask("outside", "k", "b");
    ask("inside", "more", "a");
    step();
    EXPECT_EQ(it_->placed("inside", "more"), 1U);
    EXPECT_EQ(policies_.asked > 0, reads_free);
  }
}

TEST_F(CanaryPredicate, WhatItHeldUpIsFreeWhenItComesAgain) {
  start();
  configure({of_team(2)});
  policies_.fails = true;
  ask("inside", "k", "a");
  step();
  it_->run(release{default_partition, "inside", "k", 0, 0, termination::stopped_by_rm, release_what::asks});
  it_->run(change_canary{default_partition, canary_turn::back});
  policies_.fails = false;
  it_->run(change_canary{default_partition, canary_turn::again});
  ask("inside", "more", "a");
  step();
  EXPECT_EQ(it_->placed("inside", "more"), 1U);
}

TEST_F(CanaryPredicate, OneThatIsNotThereIsRefused) {
  start();
  canary_config unknown = of_team();
  unknown.predicate = "no-such";
  configure({unknown});
  EXPECT_THAT(it_->decisions().back(), AllOf(HasSubstr("configuration_rejected"), HasSubstr("no-such")));
  EXPECT_FALSE((*it_)->snapshot().partitions[0].canary);
}

TEST_F(CanaryPredicate, WhyANodeIsRefusedSaysThatTheCanaryDoes) {
  start();
  configure({of_team()});
  ask("inside", "k", "none");
  step();
  const auto said = (*it_)->explain(first_partition, "inside", "k");
  ASSERT_TRUE(said);
  EXPECT_THAT(said->nodes.predicates, Contains(::testing::Pair(HasSubstr("another value (canary)"), 2U)));
}

TEST_F(CanaryPredicate, AReplayACopyAndASavedStateDecideTheSame) {
  start();
  configure({of_team(3)});
  for (int round = 0; round < 4; ++round) {
    const std::string key = "k" + std::to_string(round);
    policies_.fails = round == 1 || round == 3;
    ask("inside", key, round % 2 == 0 ? "none" : round == 1 ? "a" : "b");
    ask("outside", key, "none");
    step();
    policies_.fails = false;
    it_->advance(2'000);
    step();
  }
  EXPECT_EQ(shown().faults, 2U);
  attributes_source sound;
  kernel again(sound);
  std::vector<std::string> lines;
  ASSERT_TRUE(read_journal(it_->journal(), [&](int64_t now_ms, const command &c) {
    again.apply(now_ms, c);
    again.drain([&](const decision_view &d) { lines.push_back(format(d)); });
  }));
  EXPECT_EQ(lines, it_->decisions());
  EXPECT_EQ(again.snapshot().partitions[0].canary, shown());

  ask("inside", "last", "b");
  ask("inside", "never", "none");
  ask("outside", "last", "none");
  const std::unique_ptr<kernel> copy = (*it_)->copy();
  const auto saved = (*it_)->save();
  ASSERT_TRUE(saved);
  const int64_t now_ms = (*it_)->now_ms();
  auto restored = kernel::restored(*saved, now_ms, sound);
  ASSERT_TRUE(restored) << restored.why().text();
  const auto decided = [&](kernel &k) {
    std::vector<std::string> out;
    k.apply(now_ms, tenon::step{{}, 100, {}});
    k.drain([&](const decision_view &d) {
      out.push_back(std::string(d.application) + " " + std::string(d.key) + " " + std::string(d.node));
    });
    EXPECT_EQ(k.snapshot().partitions[0].canary->canary.placed, 3U);
    return out;
  };
  const std::vector<std::string> here = decided(**it_);
  EXPECT_THAT(here, AllOf(Contains(HasSubstr("last")), Not(Contains(HasSubstr("never")))));
  EXPECT_EQ(decided(*copy), here);
  EXPECT_EQ(decided(**restored), here);
}

}  // namespace
}  // namespace tenon::testing
