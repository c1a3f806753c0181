// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An order of nodes for some applications: who has it, that its faults bring it back and touch nobody else, and that a
// replay and a copy decide the same.
#include <gmock/gmock.h>

#include <set>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Its order `binpacking` fails while it is told to.
struct shaky_source : builtin_policy_source {
  struct shaky_policy : bound_policy {
    shaky_policy(std::unique_ptr<bound_policy> sound, const bool &now_fails)
        : bound_policy(*sound), inner(std::move(sound)), fails(now_fails) {
      instance = reinterpret_cast<tenon_instance *>(this);
      table.keys = [](tenon_instance *self, const tenon_batch *batch, tenon_keys_out *out) {
        const auto &one = *reinterpret_cast<shaky_policy *>(self);
        if (one.fails) return tenon_status{TENON_INTERNAL};
        return one.inner->sort->keys(one.inner->instance, batch, out);
      };
      sort = &table;
    }
    std::unique_ptr<bound_policy> inner;
    const bool &fails;
    tenon_sort_v1 table{sizeof(tenon_sort_v1), 0, nullptr, nullptr, nullptr};
  };

  shaky_source() : builtin_policy_source({{"node-attributes"}}) {}
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    if (is_gone) return builtin_policy_source::bind(kind, "gone", configuration, max_resource_types);
    auto bound = builtin_policy_source::bind(kind, name, configuration, max_resource_types);
    if (!bound || name != "binpacking") return bound;
    return std::unique_ptr<bound_policy>(std::make_unique<shaky_policy>(std::move(*bound), fails));
  }
  bool fails = false;
  bool is_gone = false;  // with all others
};

class Canary : public ::testing::Test {
 protected:
  void start() {
    it_.emplace(policies_, std::vector{named_queue("team", {}, {named_queue("a"), named_queue("b")}), named_queue("c"),
                                       named_queue("team-b")});
    for (const char *id : {"n1", "n2", "full"}) it_->add_node(id, {{"vcore", 100'000}});
    put_allocation half;
    half.partition = default_partition;
    half.node = "full";
    half.allocation.ask.key = "foreign";
    half.allocation.ask.resources = own_.resources({{"vcore", 50'000}});
    half.allocation.foreign = true;
    it_->run(half);
  }
  void configure(const std::vector<canary_config> &canary) {
    cluster_config config = it_->config();
    config.partitions[0].canary = canary;
    it_->configure(std::move(config));
  }
  static canary_config packed(std::vector<std::string> queues, uint32_t share = canary_config::whole,
                              std::string salt = {}) {
    canary_config out;
    out.node_sort.type = "binpacking";
    out.queues = std::move(queues);
    out.share = share;
    out.salt = std::move(salt);
    return out;
  }
  // Whether its next ask is placed on the node that is used most.
  bool packs(std::string_view app) {
    const std::string_view key = own_.text("k" + std::to_string(++asked_));
    it_->ask(app, key, {{"vcore", 1'000}});
    it_->run(step{{}, 10, {}});
    return nodes_of(key)[std::string(app)] == "full";
  }
  bool new_one_packs(std::string_view app, std::string_view queue,
                     const std::map<std::string, std::string> &tags = {}) {
    it_->add_app(app, queue, "testuser", tags);
    return packs(app);
  }
  // By application: where the ask of that key is.
  std::map<std::string, std::string> nodes_of(std::string_view key) {
    std::map<std::string, std::string> out;
    const kernel_snapshot now = (*it_)->snapshot();
    for (const application_snapshot &one : now.partitions[0].applications) {
      for (const allocation_snapshot &x : one.allocations) {
        if (x.key == key) out[one.id] = x.node;
      }
    }
    return out;
  }
  [[nodiscard]] canary_snapshot shown() { return (*it_)->snapshot().partitions[0].canary.value(); }

  shaky_source policies_;
  arena own_;
  std::optional<cluster> it_;
  int asked_ = 0;
};

TEST_F(Canary, ASubtreeHasTheOrder) {
  start();
  EXPECT_FALSE((*it_)->snapshot().partitions[0].canary);
  configure({packed({"root.team"})});
  EXPECT_TRUE(new_one_packs("1", "root.team.a"));
  EXPECT_FALSE(new_one_packs("2", "root.c"));
  EXPECT_TRUE(new_one_packs("3", "root.team.b"));
  EXPECT_FALSE(new_one_packs("4", "root.team-b"));  // begins alike
  it_->run(move_application{default_partition, "2", "root.team.a", {}});
  it_->run(move_application{default_partition, "3", "root.c", {}});
  EXPECT_TRUE(packs("2"));
  EXPECT_FALSE(packs("3"));
}

TEST_F(Canary, WhoChoseAnOrderKeepsIt) {
  start();
  configure({packed({}, 1'000)});
  EXPECT_FALSE(new_one_packs("1", "root.c", {{"tenon/node-sort", "fair"}}));
  EXPECT_TRUE(new_one_packs("2", "root.c"));
}

TEST_F(Canary, ThoseThatAreThereHaveItWithTheConfigurationAndLoseItWithTheNext) {
  start();
  EXPECT_FALSE(new_one_packs("1", "root.c"));
  configure({packed({"root.c"})});
  EXPECT_TRUE(packs("1"));
  configure({});
  EXPECT_FALSE(packs("1"));
}

// By the share, of 10,000 applications, and those of a lower one are among those of a higher one.
TEST_F(Canary, TheShareIsWhatWasAskedForAndRisingItOnlyAdds) {
  start();
  std::vector<std::string> ids;
  for (int i = 0; i < 10'000; ++i) ids.push_back((i % 2 == 0 ? "spark-" : "job_2026_") + std::to_string(i));
  for (const std::string &id : ids) it_->add_app(id, "root.c");
  std::set<std::string> before;
  for (const uint32_t share : {0U, 50U, 500U, 1'000U}) {
    configure({packed({}, share, "june")});
    std::set<std::string> packed_now;
    const std::string key = "k" + std::to_string(share);
    for (const std::string &id : ids) it_->ask(id, key, {{"vcore", 1}});
    it_->settle();
    for (const auto &[id, node] : nodes_of(key)) {
      if (node == "full") packed_now.insert(id);
    }
    EXPECT_NEAR(static_cast<double>(packed_now.size()), share * 10.0, 100.0) << share;
    EXPECT_TRUE(std::includes(packed_now.begin(), packed_now.end(), before.begin(), before.end())) << share;
    before = std::move(packed_now);
  }
}

TEST_F(Canary, AFaultBringsItBackAndTouchesNobodyElse) {
  start();
  configure({packed({"root.team"})});
  EXPECT_TRUE(new_one_packs("1", "root.team.a"));
  it_->advance(5'000);
  policies_.fails = true;
  EXPECT_FALSE(new_one_packs("2", "root.c"));  // nobody asks the policy
  EXPECT_TRUE(shown().active);
  EXPECT_FALSE(packs("1"));
  EXPECT_FALSE(shown().active);
  EXPECT_THAT(shown().why, HasSubstr("binpacking failed"));
  EXPECT_EQ(shown().since_ms, 1'005'000);
  EXPECT_THAT(it_->decisions(), Contains(AllOf(HasSubstr("\tcanary_back\trm\t[rm]default\t"), HasSubstr("failed"))));
  EXPECT_EQ((*it_)->counters().policy_faults, 1U);
  EXPECT_EQ((*it_)->counters().canaries_back, 1U);

  // Forward goes only who is told to: a configuration that says the same changes nothing.
  policies_.fails = false;
  configure({packed({"root.team"})});
  EXPECT_FALSE(shown().active);
  EXPECT_FALSE(new_one_packs("3", "root.team.a"));
  configure({packed({"root.team"}, 999)});
  EXPECT_TRUE(shown().active);
  EXPECT_EQ(shown().why, "");
  EXPECT_TRUE(packs("3"));
}

TEST_F(Canary, WithMoreFaultsItsPolicyIsAskedAgainWithTheNextCommand) {
  start();
  canary_config three = packed({"root.team"});
  three.back.faults = 3;
  configure({three});
  EXPECT_TRUE(new_one_packs("1", "root.team.a"));
  for (const uint32_t faults : {1U, 2U}) {
    policies_.fails = true;
    EXPECT_FALSE(packs("1")) << faults;
    EXPECT_TRUE(shown().active) << faults;
    EXPECT_EQ(shown().faults, faults) << "one for the command";
    policies_.fails = false;
    EXPECT_TRUE(packs("1")) << faults;
  }
  EXPECT_THAT(it_->decisions(), Not(Contains(HasSubstr("canary_back"))));
  policies_.fails = true;
  EXPECT_FALSE(packs("1"));
  EXPECT_FALSE(shown().active);
  EXPECT_THAT(shown().why, HasSubstr("binpacking failed 3 times"));
  EXPECT_EQ((*it_)->counters().policy_faults, 3U);
  EXPECT_EQ((*it_)->counters().canaries_back, 1U);
}

TEST_F(Canary, PeopleTakeItBackAndPutItInPlaceAgain) {
  start();
  EXPECT_EQ((*it_)->problem_with(change_canary{default_partition, canary_turn::back}),
            "partition [rm]default is configured with no canary; add the key canary to it in queues.yaml");
  configure({packed({"root.team"})});
  EXPECT_TRUE(new_one_packs("1", "root.team.a"));
  const change_canary back{default_partition, canary_turn::back, "by olga"},
      again{default_partition, canary_turn::again};
  EXPECT_EQ((*it_)->problem_with(again), "the canary is in place: nothing brought it back; there is nothing to do");
  EXPECT_EQ((*it_)->problem_with(back), "");
  it_->run(back);
  EXPECT_FALSE(packs("1"));
  EXPECT_EQ((*it_)->counters().canaries_back, 0U) << "not by itself";
  EXPECT_EQ((*it_)->problem_with(back),
            "the canary is back already: taken back by olga; `tenon ctl canary again` puts it in place");
  EXPECT_EQ((*it_)->problem_with(again), "");
  it_->run(again);
  EXPECT_TRUE(packs("1"));
  it_->run(back);
  policies_.is_gone = true;
  EXPECT_NE((*it_)->problem_with(again), "");
  it_->run(again);
  EXPECT_FALSE(shown().active);
}

TEST_F(Canary, AReplayGoesBackAtTheSameDecision) {
  start();
  canary_config two = packed({}, 600, "x");
  two.back.faults = 2;
  configure({two});
  for (int i = 0; i < 8; ++i)
    it_->add_app(own_.text("app-" + std::to_string(i)), i % 2 == 0 ? "root.c" : "root.team.a");
  for (int round = 0; round < 5; ++round) {
    policies_.fails = round == 1 || round == 3;
    for (int i = 0; i < 8; ++i) {
      it_->ask(own_.text("app-" + std::to_string(i)), own_.text("k" + std::to_string(round)), {{"vcore", 1'000}});
    }
    it_->run(step{{}, 100, {}});
    EXPECT_EQ(shown().active, round < 3) << round;
  }
  builtin_policy_source sound({{"node-attributes"}});
  kernel again(sound);
  std::vector<std::string> lines;
  ASSERT_TRUE(read_journal(it_->journal(), [&](int64_t now_ms, const command &c) {
    again.apply(now_ms, c);
    again.drain([&](const decision_view &d) { lines.push_back(format(d)); });
  }));
  EXPECT_EQ(lines, it_->decisions());
  EXPECT_EQ(again.snapshot().partitions[0].canary, shown());
}

TEST_F(Canary, ACopyDecidesTheSame) {
  start();
  configure({packed({"root.team"})});
  it_->add_app("1", "root.team.a");
  it_->add_app("2", "root.c");
  for (const char *key : {"a", "b", "c"}) {
    it_->ask("1", key, {{"vcore", 1'000}});
    it_->ask("2", key, {{"vcore", 1'000}});
  }
  const auto decided = [](kernel &k) {
    std::vector<std::string> out;
    k.apply(1'000'000, step{{}, 100, {}});
    k.drain([&](const decision_view &d) { out.push_back(std::string(d.application) + " " + std::string(d.node)); });
    return out;
  };
  const std::unique_ptr<kernel> copy = (*it_)->copy();
  EXPECT_EQ(copy->snapshot().partitions[0].canary, shown());
  const std::vector<std::string> there = decided(*copy);
  EXPECT_EQ(there, decided(**it_));
}

}  // namespace
}  // namespace tenon::testing
