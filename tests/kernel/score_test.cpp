// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `score`: nodes in the order of one ask. Asks that look alike otherwise keep orders of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

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

// Zones with the fewest allocations of the application first, then hosts.
struct spread {
  static constexpr std::string_view name = "spread";
  static constexpr std::tuple columns{number_column{"app.count_by:zone"}, number_column{"app.count_by:host"}};
  std::array<uint64_t, 2> key(const auto &) const { return {0, 0}; }
  std::array<uint64_t, 2> score(const auto &node) const {
    const auto [in_zone, on_host] = node.values();
    return {ascending(in_zone), ascending(on_host)};
  }
};

// The devices that the tag `mask` of the ask names, as a number.
struct as_told {
  static constexpr std::string_view name = "as-told";
  static constexpr std::tuple columns{text_column{"ask.tag:mask", scope::context},
                                      number_column{"score.devices:gpu", scope::context}};
  uint64_t key(const auto &) const { return 0; }
  with_devices<uint64_t> score(const auto &node) const {
    const auto [mask, chooses] = node.values();
    return {0, mask && chooses == 1 ? std::stoull(std::string(*mask)) : 0};
  }
};

// By the last character of their ids.
struct by_id {
  static constexpr std::string_view name = "by-id";
  static constexpr std::tuple columns{text_column{"node.id"}};
  int64_t key(const auto &node) const { return -node.template get<0>().value_or(" ").back(); }
};

// In few steps of what is free of one type, and among nodes alike by the other. No score.
struct in_steps {
  static constexpr std::string_view name = "in-steps";
  static constexpr std::tuple columns{resources_column{"node.free"}};
  std::array<uint64_t, 2> key(const auto &node) const {
    const auto [free] = node.values();
    return key_of(free[0], free[1]);
  }
  static std::array<uint64_t, 2> key_of(int64_t first, int64_t second) {
    return {ascending(first / 4'000), ascending(second % 7)};
  }
};

}  // namespace

TENON_MODULE(node_sort<near_first>, node_sort<near_by_all>, node_sort<spread>, node_sort<as_told>, node_sort<by_id>,
             node_sort<in_steps>)

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

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

TEST_F(Score, TagIsTheAsksOwn) {
  start("near-first");
  ask("1", "y");
  ask("2", "z");
  ask("3", "nowhere");
  EXPECT_EQ(where("1"), "node-y");
  EXPECT_EQ(where("2"), "node-z");
  EXPECT_EQ(where("3"), "node-x");
}

TEST_F(Score, TagsAndPriorityAreTheAsksOwn) {
  start("near-by-all");
  ask("1", "z");
  ask("2", "x", 1);
  ask("3", "x");
  EXPECT_EQ(where("1"), "node-z");
  EXPECT_EQ(where("2"), "node-y");
  EXPECT_EQ(where("3"), "node-x");
}

TEST_F(Score, OrderThatIsAskedSaysTheKeysThatItGoesByWithWhatItReads) {
  start("spread");
  ask("1", "");
  ask("2", "");
  it_->ask("app", "large", {{"vcore", 200'000}});
  it_->settle();
  const auto said =
      (*it_)->ask_policies(first_partition, {{{"app", "large"}, {"gone", "large"}}, {"node-x", "node-z", "gone"}});
  ASSERT_EQ(said.size(), 4U);
  EXPECT_EQ(said[0].kind, module_kind::queue_sort);
  EXPECT_EQ(said[0].among + ": " + said[0].item, "root: root.a");
  EXPECT_EQ(said[1].kind, module_kind::app_sort);
  EXPECT_EQ(said[1].policy + ", " + said[1].among + ": " + said[1].item, "fifo, root.a: app");
  const std::pair<std::string, int64_t> nodes[] = {{"node-x", 1}, {"node-z", 0}};
  for (size_t i = 0; i < 2; ++i) {
    const policy_answer &of = said[2 + i];
    EXPECT_EQ(of.kind, module_kind::node_sort);
    EXPECT_EQ(of.policy + " for " + of.ask + ": " + of.item, "spread for app/large: " + nodes[i].first);
    EXPECT_EQ(of.key, (std::vector{ascending(nodes[i].second), ascending(int64_t{2})}));  // no node has a host
    const std::vector<std::pair<std::string, std::string>> read{{"app.count_by:zone", std::to_string(nodes[i].second)},
                                                                {"app.count_by:host", "2"}};
    EXPECT_EQ(of.columns, read);
  }
  EXPECT_TRUE((*it_)->ask_policies(partition_id::none, {}).empty());
  ask("3", "");
  EXPECT_EQ(where("3"), "node-z");
}

TEST_F(Score, CopyByAnotherSourceGoesByTheOrdersOfThatOne) {
  start("near-first");
  ask("1", "z");
  const auto next_of = [&](policy_source *by) {
    const std::unique_ptr<kernel> copy = (*it_)->copy({}, by);
    (void)copy->apply(copy->now_ms(), step{"", 1, {}});
    std::string out;
    copy->drain([&](const decision_view &d) {
      if (d.is(decision_kind::allocated)) out = d.node;
    });
    return out;
  };
  with_module same{TENON_MODULE_ENTRY};
  builtin_policy_source without;  // whose fallback spreads
  EXPECT_EQ(next_of(nullptr), "node-z");
  EXPECT_EQ(next_of(&same), "node-z");
  EXPECT_EQ(next_of(&without), "node-x");
  EXPECT_EQ(where("1"), "node-z");
}

TEST_F(Score, AlikeInWhatIsReadShareASearchThatFailed) {
  start("near-first");
  it_->ask("app", "1", {{"vcore", 200'000}}, 0, {{"near", "x"}, {"other", "o"}});
  it_->ask("app", "2", {{"vcore", 200'000}}, 5, {{"near", "x"}, {"other", "p"}});
  it_->settle();
  EXPECT_EQ((*it_)->counters().node_searches, 1U);
}

TEST_F(Score, NodeOrderChangesPendingAsksFollow) {
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

// An application that chose an order which scores, among others that did not: asks alike but for their tags.
TEST_F(Score, ChosenByAnApplicationItsAsksAlone) {
  start("fair");
  const std::map<std::string, std::string> chosen{{"tenon/node-sort", "near-first"}};
  it_->add_app("chooses", "root.a", "testuser", chosen);
  it_->add_app("chooses-b", "root.b", "testuser", chosen);
  ask("1", "z", 0, "chooses");
  ask("1", "z");
  ask("2", "y", 0, "chooses");
  ask("1", "z", 0, "chooses-b");
  EXPECT_EQ(where("1", "chooses"), "node-z");
  EXPECT_EQ(where("1"), "node-x") << "spread";
  EXPECT_EQ(where("2", "chooses"), "node-y");
  EXPECT_EQ(where("1", "chooses-b"), "node-z");
  cluster_config config = it_->config();
  config.partitions[0].node_sort.type = "near-first";
  it_->configure(config);
  ask("3", "z");
  ask("3", "y", 0, "chooses");
  EXPECT_EQ(where("3"), "node-z");
  EXPECT_EQ(where("3", "chooses"), "node-y");
  config.partitions[0].node_sort.type = "binpacking";
  it_->configure(config);
  ask("4", "x");
  ask("4", "x", 0, "chooses");
  EXPECT_EQ(where("4"), "node-z") << "the fullest one";
  EXPECT_EQ(where("4", "chooses"), "node-x");
}

// As a host does with a module whose schema has no weights.
struct without_weights : with_module {
  using with_module::with_module;
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    if (name == "near-first" && configuration != "{}") return refusal{"near-first", "{}", "weights", "leave them out"};
    return with_module::bind(kind, name, configuration, max_resource_types);
  }
};

TEST_F(Score, ChosenByAnApplicationTakesNoWeightsThatItsPolicyRefuses) {
  without_weights policies(TENON_MODULE_ENTRY);
  it_ = std::make_unique<cluster>(policies, std::vector{named_queue("a")}, "fair");
  cluster_config config = it_->config();
  config.partitions[0].node_sort.resource_weights = {{"memory", 1}};
  it_->configure(config);
  for (const char *zone : {"x", "y", "z"}) {
    it_->add_node(own_.text("node-" + std::string(zone)), {{"vcore", 100'000}}, {{"zone", zone}});
  }
  it_->add_app("app", "root.a", "testuser", {{"tenon/node-sort", "near-first"}});
  ask("1", "y");
  EXPECT_EQ(where("1"), "node-y");
  config.partitions[0].node_sort.resource_weights = {{"vcore", 1}};
  it_->configure(config);
  ask("2", "z");
  EXPECT_EQ(where("2"), "node-z");
  it_.reset();
}

TEST_F(Score, ANodeIsToldByItsId) {
  start("by-id");
  ask("1", "");
  EXPECT_EQ(where("1"), "node-z");
  it_->set_capacity("node-z", {{"vcore", 0}});
  ask("2", "");
  EXPECT_EQ(where("2"), "node-y");
}

// The rules are in tests/rules; here is what nobody else sees of it.
TEST_F(Score, ChoicesOfDevicesThatCannotBeHadAreCounted) {
  it_ = std::make_unique<cluster>(policies_, std::vector{named_queue("a")}, "as-told");
  it_->add_node("node", {{"gpu", 8}, {"vcore", 8}}, {{"tenon/devices/gpu", "2x4"}});
  it_->add_node("plain", {{"gpu", 1}});
  it_->add_app("app", "root.a");
  const auto left_after = [&](std::string_view key, const char *mask, const amount_map &wanted) {
    it_->ask("app", key, wanted, 0, {{"mask", mask}});
    it_->settle();
    return (*it_)->counters().device_choices_left;
  };
  EXPECT_EQ(left_after("1", "2", {{"gpu", 1}}), 0U);
  EXPECT_EQ(left_after("2", "4", {{"gpu", 1}}), 1U) << "which is not there";
  EXPECT_EQ(left_after("3", "3", {{"gpu", 1}}), 2U) << "two for one";
  EXPECT_EQ(left_after("4", "2", {{"gpu", 4}}), 3U) << "no room for all of it";
  EXPECT_EQ(left_after("5", "0", {{"gpu", 1}}), 3U) << "it leaves the choice itself";
  EXPECT_EQ(left_after("6", "9", {{"vcore", 1}}), 3U) << "nothing of the type is wanted";
  EXPECT_EQ(left_after("7", "9", {{"gpu", 1}}), 3U) << "the node does not divide it";
}

// A module's declaration, changed before the kernel sees it.
struct declared_otherwise : with_module {
  using with_module::with_module;
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    auto bound = with_module::bind(kind, name, configuration, max_resource_types);
    if (bound && name == "as-told") change(**bound);
    return bound;
  }
  std::function<void(bound_policy &)> change;
};

TEST_F(Score, WhoChoosesDevicesHasAScoreAWordForThemAndOneType) {
  declared_otherwise policies(TENON_MODULE_ENTRY);
  const auto refused = [&](std::function<void(bound_policy &)> change) {
    policies.change = std::move(change);
    cluster c(policies, {named_queue("a")}, "as-told");
    return c.decisions().empty() ? std::string() : c.decisions().front();
  };
  static tenon_sort_v1 no_score;
  EXPECT_THAT(refused([](bound_policy &p) {
                p.columns.push_back({"score.devices:fpga", TENON_SCOPE_CONTEXT});
              }),
              HasSubstr("another such column"));
  EXPECT_THAT(refused([](bound_policy &p) { p.key_words = 1; }), HasSubstr("one key word"));
  EXPECT_THAT(refused([](bound_policy &p) {
                no_score = *p.sort;
                no_score.score = nullptr;
                p.sort = &no_score;
              }),
              HasSubstr("a policy without score"));
}

// Where each goes, out of the allocations as they are.
TEST_F(Score, CountsByAttributeAreThoseOfTheMoment) {
  it_ = std::make_unique<cluster>(policies_, std::vector{named_queue("a")}, "spread");
  std::map<std::string, std::pair<std::string, std::string>> places;  // node -> zone, host
  const auto add_node = [&](const std::string &id, const std::string &zone) {
    std::map<std::string, std::string> attributes{{"host", id}};
    if (!zone.empty()) attributes["zone"] = zone;
    it_->add_node(own_.text(id), {{"vcore", 50'000}}, attributes);
    places[id] = {zone, id};
  };
  for (const auto &[id, zone] : {std::pair{"n1", "x"}, {"n2", "x"}, {"n3", "y"}, {"n4", ""}, {"n5", ""}}) {
    add_node(id, zone);
  }
  std::mt19937 random(3);
  constexpr int apps = 80;  // more than there are orders for
  for (int i = 0; i < apps; ++i) it_->add_app(own_.text("app-" + std::to_string(i)), "root.a");
  std::map<int, std::map<std::string, std::string>> live;  // application -> key -> node
  for (int i = 0; i < 1'500; ++i) {
    const int who = static_cast<int>(random() % (i % 3 == 0 ? apps : 3));
    const std::string app = "app-" + std::to_string(who);
    auto &mine = live[who];
    if (i == 500) add_node("n6", "z");
    if (i == 1'000) {
      const std::map<std::string, std::string> attributes{{"host", "n6"}, {"zone", "y"}};
      update_node c;
      c.partition = default_partition;
      c.node = "n6";
      c.attributes = own_.tags(attributes);
      c.has_attributes = true;
      it_->run(c);
      places["n6"].first = "y";
    }
    if (mine.size() > 8) {
      const auto gone = std::next(mine.begin(), static_cast<ptrdiff_t>(random() % mine.size()));
      it_->give_back(own_.text(app), own_.text(gone->first));
      mine.erase(gone);
      continue;
    }
    std::string best;
    std::pair<int, int> least;
    for (const auto &[node, at] : places) {
      std::pair<int, int> count;
      for (const auto &[key, where] : mine) {
        count.first += places[where].first == at.first ? 1 : 0;
        count.second += where == node ? 1 : 0;
      }
      if (best.empty() || count < least) std::tie(best, least) = std::pair{node, count};
    }
    const std::string key = "k" + std::to_string(i);
    it_->ask(own_.text(app), own_.text(key), {{"vcore", 1}});
    ASSERT_EQ(where(key, app), best) << i;
    mine[key] = best;
  }
}

// So many nodes that they stand in several blocks, which split and are put together again as nodes move.
TEST(NodeOrder, OfKeysOfTwoWordsTheFirstThatFits) {
  with_module policies(TENON_MODULE_ENTRY);
  cluster c(policies, {named_queue("leaf")}, "in-steps");
  c.add_app("app", "root.leaf");
  struct model_node {
    int64_t memory, vcore;
  };
  std::map<std::string, model_node> nodes;
  for (int i = 0; i < 700; ++i) {
    const auto [at, made] = nodes.emplace("node-" + std::to_string(i), model_node{100 + i % 3, 20'000 + i % 5 * 1'000});
    c.add_node(at->first, {{"memory", at->second.memory}, {"vcore", at->second.vcore}});
  }
  struct model_ask {
    std::string node;
    int64_t memory, vcore;
  };
  std::map<std::string, model_ask> placed;
  const auto place = [&](const std::string &key, int64_t memory, int64_t vcore) {
    const auto order = [](const auto &n) { return in_steps::key_of(n.second.memory, n.second.vcore); };
    auto best = nodes.end();
    for (auto n = nodes.begin(); n != nodes.end(); ++n) {
      if (n->second.memory < memory || n->second.vcore < vcore) continue;
      if (best == nodes.end() || order(*n) < order(*best)) best = n;
    }
    ASSERT_NE(best, nodes.end());
    best->second.memory -= memory;
    best->second.vcore -= vcore;
    placed[key] = {best->first, memory, vcore};
    c.ask("app", key, {{"memory", memory}, {"vcore", vcore}});
  };
  std::mt19937_64 random(3);
  const auto draw = [&](uint64_t below) { return static_cast<int64_t>(random() % below); };
  for (int i = 0; i < 2'500; ++i) {
    if (i > 1'500 && i % 2 == 0) {
      const auto goes = std::next(placed.begin(), draw(placed.size()));
      nodes[goes->second.node].memory += goes->second.memory;
      nodes[goes->second.node].vcore += goes->second.vcore;
      c.give_back("app", goes->first);
      placed.erase(goes);
    }
    place("ask-" + std::to_string(i), 1 + draw(40), 1'000 + 100 * draw(30));
    c.settle();
  }
  std::map<std::string, std::string> is, want;
  for (const auto &[key, one] : placed) want[key] = one.node;
  const kernel_snapshot now = c->snapshot();
  for (const allocation_snapshot &x : now.partitions[0].applications[0].allocations) is[x.key] = x.node;
  EXPECT_EQ(is, want);
}

}  // namespace
}  // namespace tenon::testing
