// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rules of the tag tenon/node-sort: an application chooses in which order nodes are tried for its asks.
#include "scene.hpp"

namespace tenon::testing {
namespace {

template <class T>
class RulesOfNodeSort : public scene<T> {
 protected:
  // Nodes are spread, unless the application says otherwise; node-2 is the fuller one.
  void begin(const std::string &type = "fair", const std::map<std::string, double> &weights = {}) {
    cluster_config c = make_cluster({make_queue("leaf")});
    c.partitions[0].node_sort.type = type;
    c.partitions[0].node_sort.resource_weights = weights;
    this->start(c);
    this->add("node-1", {{"vcore", 10}});
    this->add("node-2", {{"vcore", 10}}, {.occupied = {{"vcore", 4}}});
    this->add_app("plain");
    this->add_app("packs", {.tags = {{"tenon/node-sort", "binpacking"}}});
    this->add_app("spreads", {.tags = {{"Tenon/Node-Sort", "fair"}}});
  }
  std::string node_for(const std::string &app) {
    this->ask(app, "a", {{"vcore", 1}});
    const lines said = this->placed();
    this->give_back(app, "a");
    return said.size() == 1 ? said[0].substr(said[0].rfind(' ') + 1) : "nowhere";
  }
};
TYPED_TEST_SUITE(RulesOfNodeSort, schedulers);

TYPED_TEST(RulesOfNodeSort, EachApplicationHasItsOwn) {
  this->begin();
  EXPECT_EQ(this->node_for("plain"), "node-1");
  EXPECT_EQ(this->node_for("packs"), "node-2");
  EXPECT_EQ(this->node_for("spreads"), "node-1");
  this->begin("binpacking");
  EXPECT_EQ(this->node_for("plain"), "node-2");
  EXPECT_EQ(this->node_for("packs"), "node-2");
  EXPECT_EQ(this->node_for("spreads"), "node-1");
}

TYPED_TEST(RulesOfNodeSort, ItFollowsWhatHappensOnTheNodesAndANewConfiguration) {
  this->begin();
  EXPECT_EQ(this->node_for("packs"), "node-2");
  this->put("node-1", this->foreign("f", {{"vcore", 6}}));
  EXPECT_EQ(this->node_for("packs"), "node-1");
  this->change("node-1", node_event::drain);
  EXPECT_EQ(this->node_for("packs"), "node-2");
  this->change("node-1", node_event::undrain);
  this->reload(make_cluster({make_queue("leaf")}));
  EXPECT_EQ(this->node_for("packs"), "node-1");
  EXPECT_EQ(this->node_for("plain"), "node-2");
  this->add("node-3", {{"vcore", 20}, {"memory", 1}}, {.occupied = {{"vcore", 19}}});
  EXPECT_EQ(this->node_for("packs"), "node-1") << "memory has a weight as well";
}

TYPED_TEST(RulesOfNodeSort, TheWeightsOfThePartitionHoldForItTooAndFollowAConfiguration) {
  this->begin("fair", {{"memory", 1.0}});
  this->add("node-3", {{"vcore", 10}, {"memory", 10}}, {.occupied = {{"memory", 3}}});
  EXPECT_EQ(this->node_for("packs"), "node-3") << "the others have no memory";
  this->reload(make_cluster({make_queue("leaf")}));
  EXPECT_EQ(this->node_for("packs"), "node-2") << "vcore counts as well: 0.4 against 0.15";
}

TYPED_TEST(RulesOfNodeSort, AllThatLooksForANodeLooksInThatOrder) {
  this->begin();
  this->ask("packs", "b", {{"vcore", 2}});
  this->ask("plain", "b", {{"vcore", 2}});
  EXPECT_THAT(this->placed(), ElementsAre("plain/b#1 on node-1", "packs/b#2 on node-2"));
  this->add_app("gang", {.tags = {{"tenon/node-sort", "binpacking"}}, .placeholder_ask = {{"vcore", 1}}});
  this->ask("gang", "ph", {{"vcore", 1}}, {.task_group = "tg", .placeholder = true});
  EXPECT_THAT(this->placed(), ElementsAre("gang/ph#3 on node-2"));
}

TYPED_TEST(RulesOfNodeSort, AnIndependentAskChoosesByItsOwnTags) {
  this->begin();
  put_ask c = this->make_ask("", "alone", {{"vcore", 1}}, {.tags = {{"tenon/node-sort", "binpacking"}}});
  cluster_config config = make_cluster({make_queue("default")});
  config.partitions[0].node_sort.type = "fair";
  this->reload(config);
  this->run(c);
  EXPECT_THAT(this->placed(), ElementsAre("@independent/alone/alone#1 on node-2"));
}

TYPED_TEST(RulesOfNodeSort, OneThatNothingProvidesIsAsNoTag) {
  this->begin();
  for (const std::string order : {"bin-packing", "BinPacking", ""}) {
    this->add_app("app" + order, {.tags = {{"tenon/node-sort", order}}});
    EXPECT_EQ(this->node_for("app" + order), "node-1") << order;
  }
}

}  // namespace
}  // namespace tenon::testing
