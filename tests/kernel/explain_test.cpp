// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Explain: the numbers are right, the printed change lets the ask run, and nine tenths of it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

TEST(explain, a_queue_max_is_named_with_its_numbers) {
  cluster c({named_queue("a", {{"vcore", 3000}}, {named_queue("b")})});
  c.add_node("node-1", {{"vcore", 10'000}});
  c.add_app("app", "root.a.b");
  c.ask("app", "one", {{"vcore", 2000}});
  c.ask("app", "two", {{"vcore", 2000}});
  c.settle();
  const explanation e = *c->explain(default_partition, "app", "two");
  ASSERT_EQ(e.obstacles.size(), 1U);
  EXPECT_EQ(e.obstacles[0].queue, "root.a");
  EXPECT_EQ(e.obstacles[0].short_by, 1000);
  EXPECT_THAT(e.text, HasSubstr("The max of queue root.a leaves too little vcore: asked 2000m, free 1000m of 3000m, "
                                "short 1000m."));
  EXPECT_THAT(e.text, HasSubstr("It would run next if you raise max vcore of queue root.a from 3000m to 4000m."));
}

TEST(explain, nodes_are_counted_by_what_they_miss) {
  cluster c({named_queue("leaf")});
  c.add_node("small-1", {{"vcore", 1000}, {"memory", 10}});
  c.add_node("small-2", {{"vcore", 1000}, {"memory", 10}});
  c.add_node("thin", {{"vcore", 9000}, {"memory", 1}});
  c.add_node("other", {{"vcore", 9000}, {"memory", 99}}, {{"si/zone", "b"}});
  c.add_app("app", "root.leaf");
  c.ask("app", "x", {{"vcore", 2000}, {"memory", 5}}, 0, {{"si/zone", "a"}});
  c.settle();
  const explanation e = *c->explain(default_partition, "app", "x");
  EXPECT_EQ(e.nodes.nodes, 4U);
  EXPECT_EQ(e.nodes.fit, 0U);
  EXPECT_EQ(e.nodes.predicates.size(), 2U) << e.text;  // no attribute on three, another value on one
}

TEST(explain, a_node_with_the_sum_but_not_the_devices_says_which) {
  cluster c({named_queue("leaf")});
  c.add_node("node-1", {{"gpu", 8}}, {{"tenon/devices/gpu", "2x4"}});
  c.add_app("app", "root.leaf");
  for (const char *key : {"a", "b"}) c.ask("app", key, {{"gpu", 3}});
  c.ask("app", "x", {{"gpu", 2}});
  c.settle();
  const explanation e = *c->explain(default_partition, "app", "x");
  EXPECT_THAT(e.nodes.devices, ::testing::ElementsAre(std::pair<std::string, uint64_t>("gpu", 1))) << e.text;
  EXPECT_THAT(e.text, HasSubstr("None of 1 nodes can hold it: 1 too few devices of gpu with room for it."));
  EXPECT_THAT(e.text,
              HasSubstr("It would run next if you free or add 1 device of gpu on node node-1 (devices from 2 to 3)."));
}

TEST(explain, an_ask_that_does_not_wait_says_so) {
  cluster c({named_queue("leaf")});
  c.add_node("node-1", {{"vcore", 10'000}});
  c.add_app("app", "root.leaf");
  c.ask("app", "x", {{"vcore", 1000}});
  EXPECT_TRUE(c->explain(default_partition, "app", "x")->pending);
  EXPECT_THAT(c->explain(default_partition, "app", "x")->text, HasSubstr("Nothing holds it"));
  c.settle();
  EXPECT_FALSE(c->explain(default_partition, "app", "x")->pending);
  EXPECT_THAT(c->explain(default_partition, "app", "nope")->text, HasSubstr("There is no ask nope"));
  EXPECT_FALSE(c->explain("[rm]other", "app", "x").has_value());
}

// -- The property: what is printed is enough, and nine tenths of it is not. --

queue_config &queue_at(queue_config &root, std::string_view path) {
  queue_config *q = &root;
  for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    path.remove_prefix(dot + 1);
    const std::string_view part = path.substr(0, path.find('.'));
    q = &*std::find_if(q->queues.begin(), q->queues.end(), [&](const auto &child) { return child.name == part; });
  }
  return *q;
}

limit_config &limit_of(queue_config &q, const change &wanted) {
  for (const bool wildcard : {false, true}) {
    for (limit_config &limit : q.limits) {
      const auto &who = wanted.group ? limit.groups : limit.users;
      if (std::find(who.begin(), who.end(), wildcard ? "*" : wanted.name) != who.end()) return limit;
    }
  }
  throw std::runtime_error("no such limit");
}

// Applies the part of the change that `tenths` says.
void apply(cluster &c, const std::vector<change> &changes, int tenths) {
  cluster_config config = c.config();
  std::map<std::string, amount_map> capacities;
  std::map<std::string, int64_t> devices;
  const kernel_snapshot now = c->snapshot();
  for (const change &one : changes) {
    const int64_t to = one.from + (one.to - one.from) * tenths / 10;
    queue_config &root = config.partitions[0].root;
    switch (one.kind) {
      case change_kind::raise_queue_applications:
        queue_at(root, one.queue).max_applications = static_cast<uint64_t>(to);
        break;
      case change_kind::raise_queue_resources:
        queue_at(root, one.queue).max[one.type] = to;
        break;
      case change_kind::raise_limit_applications:
        limit_of(queue_at(root, one.queue), one).max_applications = static_cast<uint64_t>(to);
        break;
      case change_kind::raise_limit_resources:
        limit_of(queue_at(root, one.queue), one).max_resources[one.type] = to;
        break;
      case change_kind::raise_node_capacity:
        for (const node_snapshot &n : now.partitions[0].nodes) {
          if (n.id == one.name) capacities.emplace(n.id, n.capacity);
        }
        capacities[one.name][one.type] = to;
        break;
      case change_kind::raise_node_devices:
        devices[one.name] = to;
        break;
      case change_kind::undrain_node:
        if (tenths == 10) c.undrain(one.name);
        break;
      case change_kind::add_node: {
        amount_map part = one.amounts;
        for (auto &[type, amount] : part) amount = amount * tenths / 10;
        c.add_node("added", part);
        break;
      }
      default:
        FAIL() << "a change that this test does not know: " << one.text;
    }
  }
  c.configure(std::move(config));
  for (const auto &[id, capacity] : capacities) c.set_capacity(id, capacity);
  for (const auto &[id, count] : devices) c.set_attributes(id, {{"tenon/devices/gpu", std::to_string(count) + "x4"}});
}

using tags = std::map<std::string, std::string>;

struct waiting {
  std::unique_ptr<cluster> where;
  std::string app, key;
};

int64_t draw(std::mt19937_64 &random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

// A full cluster with one more ask, which waits. The same seed makes the same.
waiting make(uint64_t seed) {
  std::mt19937_64 random(seed);
  queue_config leaf = named_queue("leaf"), parent;
  if (draw(random, 0, 1) != 0) leaf.max = {{"vcore", draw(random, 5, 30) * 100}};
  if (draw(random, 0, 2) == 0) leaf.max_applications = static_cast<uint64_t>(draw(random, 1, 2));
  limit_config limit;
  limit.users = {draw(random, 0, 1) != 0 ? "bob" : "*"};
  limit.max_resources = {{"vcore", draw(random, 5, 40) * 100}};
  if (draw(random, 0, 2) == 0) limit.max_applications = static_cast<uint64_t>(draw(random, 1, 2));
  if (draw(random, 0, 1) != 0) leaf.limits = {limit};
  parent = named_queue("parent", {}, {leaf});
  if (draw(random, 0, 1) != 0) parent.max = {{"vcore", draw(random, 30, 50) * 100}, {"memory", draw(random, 10, 500)}};
  waiting out{std::make_unique<cluster>(std::vector<queue_config>{parent}), "last", "last"};
  cluster &c = *out.where;
  const bool by_device = seed % 3 == 0;
  for (int i = 0; i < 3; ++i) {
    amount_map capacity{{"vcore", draw(random, 5, 20) * 100}, {"memory", draw(random, 50, 200)}};
    const int64_t count = draw(random, 1, 3);
    if (by_device) capacity["gpu"] = 4 * count;
    c.add_node("node-" + std::to_string(i), capacity,
               by_device ? tags{{"tenon/devices/gpu", std::to_string(count) + "x4"}} : tags{});
  }
  for (int a = 0; a < 3; ++a) {
    const std::string app = "app-" + std::to_string(a);
    c.add_app(app, "root.parent.leaf", "bob");
    amount_map resources{{"vcore", draw(random, 1, 9) * 100}, {"memory", draw(random, 1, 50)}};
    if (by_device) resources["gpu"] = draw(random, 1, 3);
    c.ask(app, "x", resources);
  }
  c.settle();
  for (int a = 0; a < 3; ++a) {  // what waits would go first: only the last one is to wait
    const std::string app = "app-" + std::to_string(a);
    release r;
    r.partition = default_partition;
    r.application = app;
    r.what = release_what::asks;
    c.run(r);
  }
  c.add_app("last", "root.parent.leaf", "bob");
  amount_map resources{{"vcore", draw(random, 10, 99) * 100}, {"memory", draw(random, 10, 400)}};
  if (by_device) resources = {{"vcore", 100}, {"gpu", draw(random, 2, 5) * 2}};
  c.ask("last", "last", resources);
  c.settle();
  return out;
}

TEST(explain, the_change_that_it_prints_is_enough_and_nine_tenths_of_it_is_not) {
  int waited = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    waiting w = make(seed);
    if (w.where->placed(w.app, w.key) != 0) continue;
    ++waited;
    const explanation e = *(*w.where)->explain(default_partition, w.app, w.key);
    SCOPED_TRACE(e.text);
    ASSERT_TRUE(e.pending);
    ASSERT_FALSE(e.changes.empty());
    apply(*w.where, e.changes, 10);
    w.where->settle();
    EXPECT_EQ(w.where->placed(w.app, w.key), 1U) << (*w.where)->explain(default_partition, w.app, w.key)->text;

    waiting again = make(seed);
    apply(*again.where, e.changes, 9);
    again.where->settle();
    EXPECT_EQ(again.where->placed(again.app, again.key), 0U);
  }
  EXPECT_GT(waited, 100);
}

}  // namespace
}  // namespace tenon::testing
