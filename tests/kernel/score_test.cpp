// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `score`: nodes in the order of one ask. Asks that look alike otherwise keep orders of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster.hpp"
#include "tenon/sdk/sort_policy.hpp"
#include "with_module.hpp"

namespace {

using namespace tenon::sdk;

// Nodes of the zone that the tag `near` names first.
struct near_first {
  static constexpr std::string_view name = "near-first";
  static constexpr std::tuple columns{text_column{"node.attr:zone"}, text_column{"ask.tag:near", scope::context}};
  int64_t key(const auto &) const { return 0; }
  int64_t score(const auto &node) const {
    const auto [zone, near] = node.values();
    return near && zone == near ? 0 : 1;
  }
};

// As the tag `near` says among all tags; of those with a priority above 0 the other way round.
struct near_by_all {
  static constexpr std::string_view name = "near-by-all";
  static constexpr std::tuple columns{text_column{"node.attr:zone"}, text_map_column{"ask.tags", scope::context},
                                      number_column{"ask.priority", scope::context}};
  int64_t key(const auto &) const { return 0; }
  int64_t score(const auto &node) const {
    const auto [zone, tags, priority] = node.values();
    const auto near = tags.find("near");
    const int64_t far = near && zone == near ? 0 : 1;
    return priority > 0 ? -far : far;
  }
};

}  // namespace

TENON_MODULE(node_sort<near_first>, node_sort<near_by_all>)

namespace tenon::testing {
namespace {

class Score : public ::testing::Test {
 protected:
  void start(const std::string &node_sort) {
    it_ = std::make_unique<cluster>(policies_, std::vector{named_queue("a"), named_queue("b")}, node_sort);
    for (const char *zone : {"x", "y", "z"}) {
      it_->add_node(own_.text("node-" + std::string(zone)), {{"vcore", 100'000}}, {{"zone", zone}});
    }
    it_->add_app("app", "root.a");
  }
  void ask(std::string_view key, const std::string &near, int32_t priority = 0, std::string_view app = "app") {
    it_->ask(app, key, {{"vcore", 1'000}}, priority, {{"near", near}, {"other", "o"}});
  }
  std::string where(std::string_view key, std::string_view app = "app") {
    it_->settle();
    const kernel_snapshot now = (*it_)->snapshot();
    for (const application_snapshot &a : now.partitions[0].applications) {
      for (const allocation_snapshot &x : a.allocations) {
        if (a.id == app && x.key == key) return x.node;
      }
    }
    return {};
  }

  with_module policies_{TENON_MODULE_ENTRY};
  arena own_;
  std::unique_ptr<cluster> it_;
};

TEST_F(Score, Tag_IsTheAsksOwn) {
  start("near-first");
  ask("1", "y");
  ask("2", "z");
  ask("3", "nowhere");
  EXPECT_EQ(where("1"), "node-y");
  EXPECT_EQ(where("2"), "node-z");
  EXPECT_EQ(where("3"), "node-x");
}

TEST_F(Score, TagsAndPriority_AreTheAsksOwn) {
  start("near-by-all");
  ask("1", "z");
  ask("2", "x", 1);
  ask("3", "x");
  EXPECT_EQ(where("1"), "node-z");
  EXPECT_EQ(where("2"), "node-y");
  EXPECT_EQ(where("3"), "node-x");
}

TEST_F(Score, AlikeInWhatIsRead_ShareASearchThatFailed) {
  start("near-first");
  it_->ask("app", "1", {{"vcore", 200'000}}, 0, {{"near", "x"}, {"other", "o"}});
  it_->ask("app", "2", {{"vcore", 200'000}}, 5, {{"near", "x"}, {"other", "p"}});
  it_->settle();
  EXPECT_EQ((*it_)->counters().node_searches, 1U);
}

TEST_F(Score, NodeOrderChanges_PendingAsksFollow) {
  start("fair");
  it_->set_capacity("node-x", {{"vcore", 0}});
  for (const char *node : {"node-y", "node-z"}) it_->set_capacity(own_.text(node), {{"vcore", 0}});
  ask("1", "z");
  ask("2", "y");
  it_->add_app("app-b", "root.b");
  ask("1", "y", 0, "app-b");
  it_->settle();
  cluster_config config = it_->config();
  config.partitions[0].node_sort.type = "near-first";
  it_->configure(config);
  for (const char *node : {"node-x", "node-y", "node-z"}) it_->set_capacity(own_.text(node), {{"vcore", 5'000}});
  EXPECT_EQ(where("1"), "node-z");
  EXPECT_EQ(where("2"), "node-y");
  EXPECT_EQ(where("1", "app-b"), "node-y");
  config.partitions[0].node_sort.type = "fair";
  it_->configure(config);
  ask("3", "z");
  EXPECT_EQ(where("3"), "node-x");
}

}  // namespace
}  // namespace tenon::testing
