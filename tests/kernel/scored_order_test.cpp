// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Orders by score: the first node by (score, id) of all that have room, as a look at each of them finds it; and how
// many nodes the policy is asked about for that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "cluster.hpp"
#include "tenon/sdk/sort_policy.hpp"
#include "with_module.hpp"

namespace {

using namespace tenon::sdk;

size_t scored = 0;  // nodes

// Few scores, so that many nodes have the same.
struct few_scores {
  static constexpr std::string_view name = "few-scores";
  using words = std::array<uint64_t, 2>;
  static constexpr std::tuple columns{resources_column{"node.free"}, text_column{"node.attr:zone"},
                                      resources_column{"ask.resources", scope::context}};
  void begin(const auto &nodes) { scored += nodes.size(); }
  words key(const auto &) const { return {0, 0}; }
  words score(const auto &node) const {
    const auto [free, zone, ask] = node.values();
    return of(free[0], free[1], zone.value_or("") == "x", ask[0]);
  }
  static words of(int64_t memory, int64_t vcore, bool in_x, int64_t wanted) {
    return {ascending((memory + wanted) / 30), ascending(vcore / 1'000 % 3 + (in_x ? 1 : 0))};
  }
};

// The same for all asks, as a key.
struct few_keys {
  static constexpr std::string_view name = "few-keys";
  static constexpr std::tuple columns{resources_column{"node.free"}, text_column{"node.attr:zone"}};
  few_scores::words key(const auto &node) const {
    const auto [free, zone] = node.values();
    return few_scores::of(free[0], free[1], zone.value_or("") == "x", 0);
  }
};

}  // namespace

TENON_MODULE(node_sort<few_scores>, node_sort<few_keys>)

namespace tenon::testing {
namespace {

class ScoredOrder : public ::testing::Test {
 protected:
  explicit ScoredOrder(bool by_key = false)
      : by_key_(by_key), it_(policies_, {named_queue("leaf")}, by_key ? "few-keys" : "few-scores") {}

  struct model_node {
    int64_t memory, vcore;
    bool in_x, drained = false;
  };
  struct model_ask {
    std::string node;
    int64_t memory, vcore;
  };

  void SetUp() override {
    it_.add_app("app", "root.leaf");
    scored = 0;
  }
  void add_node(const std::string &id, int64_t memory, int64_t vcore, bool in_x = false) {
    if (!nodes_.emplace(id, model_node{memory, vcore, in_x}).second) return;
    it_.add_node(own_.text(id), {{"memory", memory}, {"vcore", vcore}}, {{"zone", in_x ? "x" : "y"}});
  }
  void change(const std::string &id, node_event what) {
    nodes_[id].drained = what == node_event::drain;
    it_.run(change_node{default_partition, own_.text(id), static_cast<uint8_t>(what)});
  }
  [[nodiscard]] std::string first_of(int64_t memory, int64_t vcore) const {
    std::string best;
    few_scores::words least{};
    for (const auto &[id, n] : nodes_) {
      if (n.drained || n.memory < memory || n.vcore < vcore) continue;
      const auto score = few_scores::of(n.memory, n.vcore, n.in_x, by_key_ ? 0 : memory);
      if (!best.empty() && score >= least) continue;
      best = id;
      least = score;
    }
    return best;
  }
  // And what the model says of it.
  void place(const std::string &key, int64_t memory, int64_t vcore) {
    const std::string best = first_of(memory, vcore);
    it_.ask("app", own_.text(key), {{"memory", memory}, {"vcore", vcore}});
    it_.settle();
    if (best.empty()) return it_.give_back("app", own_.text(key));
    nodes_[best].memory -= memory;
    nodes_[best].vcore -= vcore;
    placed_[key] = {best, memory, vcore};
  }
  void end(const std::string &key) {
    const model_ask &one = placed_.at(key);
    nodes_[one.node].memory += one.memory;
    nodes_[one.node].vcore += one.vcore;
    it_.give_back("app", own_.text(key));
    placed_.erase(key);
  }
  // All are where the model has them.
  void compare() {
    std::map<std::string, std::string> is, want;
    for (const auto &[key, one] : placed_) want[key] = one.node;
    const kernel_snapshot now = it_->snapshot();
    for (const allocation_snapshot &x : now.partitions[0].applications[0].allocations) is[x.key] = x.node;
    ASSERT_EQ(is, want);
  }

  // The node goes, with all that was placed there.
  void remove(const std::string &id) {
    it_.run(change_node{default_partition, own_.text(id), static_cast<uint8_t>(node_event::decommission)});
    std::erase_if(placed_, [&](const auto &one) { return one.second.node == id; });
    nodes_.erase(id);
  }

  const bool by_key_;
  with_module policies_{TENON_MODULE_ENTRY};
  cluster it_;
  arena own_;
  std::map<std::string, model_node> nodes_;  // ties go by id
  std::map<std::string, model_ask> placed_;
};

TEST_F(ScoredOrder, NodesAlikeAreScoredOnce) {
  for (int i = 0; i < 300; ++i) add_node("node-" + std::to_string(100 + i), 100 + i % 3, 10'000);
  place("1", 10, 1'000);
  EXPECT_EQ(scored, 3U);
  place("2", 10, 1'000);
  EXPECT_EQ(scored, 4U) << "the one that changed";
  place("3", 10, 2'000);
  compare();
  EXPECT_LE(scored, 4U + 3 + 2) << "another class: the kinds, and those that changed";
}

TEST_F(ScoredOrder, NodesWithoutRoomAreNotScored) {
  for (int i = 0; i < 50; ++i) add_node("small-" + std::to_string(i), 5 + i, 10'000);
  add_node("large-1", 1'000, 10'000);
  add_node("large-2", 1'001, 10'000);
  place("1", 100, 1'000);
  EXPECT_EQ(scored, 2U);
  it_.set_capacity("small-7", {{"memory", 500}, {"vcore", 10'000}});
  nodes_["small-7"].memory = 500;
  place("2", 100, 1'000);
  EXPECT_EQ(scored, 4U) << "the one that has room now, and the one that changed";
  compare();
}

TEST_F(ScoredOrder, ADrainedNodeIsPassedUntilItIsBack) {
  add_node("a", 90, 10'000);
  add_node("b", 90, 10'000);
  change("a", node_event::drain);
  place("1", 10, 1'000);
  EXPECT_EQ(placed_["1"].node, "b");
  change("a", node_event::undrain);
  place("2", 10, 1'000);
  compare();
}

TEST_F(ScoredOrder, TheFirstOfAllThatHaveRoomWhateverHappens) {
  std::mt19937_64 random(11);
  const auto draw = [&](uint64_t below) { return static_cast<int64_t>(random() % below); };
  for (int i = 0; i < 400; ++i) add_node("node-" + std::to_string(draw(100'000)), 100 + i % 4 * 10, 20'000, i % 5 == 0);
  for (int i = 0; i < 3'000; ++i) {
    if (i % 211 == 0) add_node("late-" + std::to_string(draw(100'000)), 80, 9'000, true);
    if (i % 37 == 0) {
      const auto n = std::next(nodes_.begin(), draw(nodes_.size()));
      change(n->first, n->second.drained ? node_event::undrain : node_event::drain);
    }
    if (i > 800 && i % 3 != 0) end(std::next(placed_.begin(), draw(placed_.size()))->first);
    place("ask-" + std::to_string(i), 1 + draw(12) * 5, 1'000 * (1 + draw(4)));
    if (i % 250 == 0) compare();
    if (HasFatalFailure()) return;
  }
}

// So many classes that not all their orders are kept: the one that is wanted all the time is not among those that go.
TEST_F(ScoredOrder, TheOrderThatIsWantedStaysWhenOthersGo) {
  for (int i = 0; i < 40; ++i) add_node("node-" + std::to_string(i), 1'000'000 + i, 10'000'000);
  place("often-0", 1, 1'000);
  for (int i = 1; i <= 1'300; ++i) {
    place("once-" + std::to_string(i), 1 + i, 1'000);
    const size_t before = scored;
    place("often-" + std::to_string(i), 1, 1'000);
    ASSERT_LE(scored - before, 2U) << "after " << i << " other classes: the nodes that the two before changed";
    if (i % 400 == 0) compare();
    if (HasFatalFailure()) return;
  }
  compare();
}

// Two scores, and no two nodes alike: states stand by their first nodes, of which most are never looked at. A class
// that asks seldom has missed much when it does.
TEST_F(ScoredOrder, ManyStatesWithTheSameScore) {
  std::mt19937_64 random(5);
  const auto draw = [&](uint64_t below) { return static_cast<int64_t>(random() % below); };
  for (int i = 0; i < 1'500; ++i) add_node("node-" + std::to_string(10'000 + i), 100, 20'000 + i % 750);
  for (int i = 0; i < 2'500; ++i) {
    if (i % 5 == 0) {
      const auto n = std::next(nodes_.begin(), draw(nodes_.size()));
      n->second.in_x = !n->second.in_x;
      it_.set_attributes(n->first, {{"zone", n->second.in_x ? "x" : "y"}});
    }
    if (i > 1'000 && i % 4 != 0) end(std::next(placed_.begin(), draw(placed_.size()))->first);
    if (i % 600 == 599) {
      place("seldom-" + std::to_string(i), 40, 3'000);
    } else {
      place("ask-" + std::to_string(i), 1 + draw(3) * 9, 1'000 + draw(40));
    }
    if (i % 500 == 0) compare();
    if (HasFatalFailure()) return;
  }
  compare();
}

class NodesComeAndGo : public ScoredOrder, public ::testing::WithParamInterface<bool> {
 protected:
  NodesComeAndGo() : ScoredOrder(GetParam()) {}
};

// Each id lies between the two before it, on the one side and on the other: nowhere else do numbers in between end as
// soon. Ids that were there come again, in slots of other nodes.
TEST_P(NodesComeAndGo, BetweenOthersAndAgain) {
  std::mt19937_64 random(7);
  const auto draw = [&](uint64_t below) { return static_cast<int64_t>(random() % below); };
  std::vector<std::string> gone;
  int64_t low = 0, high = 0;
  for (int i = 0; i < 1'500; ++i) {
    if (high - low < 4) low = draw(1'000), high = low + (int64_t{1} << 50);
    const int64_t at = low + (high - low) / 2;
    (i % 2 == 0 ? low : high) = at;
    add_node("node-" + std::to_string(int64_t{1} << 60 | at), 100 + i % 2 * 10, 20'000, i % 5 == 0);
    if (i % 3 == 0) place("ask-" + std::to_string(i), 1 + draw(3) * 5, 1'000 * (1 + draw(4)));
    if (i % 4 == 0 && i > 100) {
      gone.push_back(std::next(nodes_.begin(), draw(nodes_.size()))->first);
      remove(gone.back());
    }
    if (i % 16 == 0 && !gone.empty()) add_node(gone[static_cast<size_t>(draw(gone.size()))], 70, 20'000);
    if (i % 3 == 0) place("then-" + std::to_string(i), 1 + draw(3) * 5, 1'000 * (1 + draw(4)));
    if (i % 10 == 0) compare();
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(ByScoreAndByKey, NodesComeAndGo, ::testing::Bool());

}  // namespace
}  // namespace tenon::testing
