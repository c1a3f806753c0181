// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A decision about an ask or allocation leads to all that a resource manager knows it by, and costs nothing more
// where nobody asks.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "cluster.hpp"
#include "unit/allocation_watch.hpp"

namespace tenon::testing {
namespace {

// What was said of one decision, with texts of its own.
struct said {
  bool known = false;
  std::map<std::string, int64_t> resources;
  std::map<std::string, std::string> tags;
  std::string priority_class, task_group, required_node, key, node, text;
  placement_view view;
};

class Describe : public ::testing::Test {
 protected:
  Describe() {
    partition_config p;
    p.root = named_queue("root", {}, {named_queue("leaf")});
    p.root.parent = true;
    p.root.submit_acl = "*";
    cluster_config config;
    config.priority_classes["urgent"] = 70;
    config.partitions.push_back(p);
    apply(register_rm{"rm", "1", "default", own_.config(config)});
    add_node n;
    n.partition = default_partition;
    n.node = "node-1";
    n.capacity = own_.resources({{"vcore", 8'000}, {"memory", 8'000}});
    apply(n);
    add_application a;
    a.partition = default_partition;
    a.application = "app";
    a.queue = "root.leaf";
    a.user = "testuser";
    apply(a);
  }

  put_ask full_ask() {
    put_ask c;
    c.partition = default_partition;
    c.application = "app";
    c.key = "ask";
    c.resources = own_.resources({{"vcore", 1'000}, {"memory", 200}});
    c.max_allocations = 3;
    c.priority_class = "urgent";
    c.execution_timeout_ms = 60'000;
    c.create_time_ms = 900'000;
    c.tags = own_.tags({{"team", "blue"}, {"image", "spark"}});
    c.task_group = "workers";
    c.placeholder = c.originator = c.allow_preempt_other = true;
    c.allow_preempt_self = false;
    return c;
  }

  void apply(const command &c) {
    it_.apply(now_ms_, c);
    it_.drain([&](const decision_view &d) {
      said one;
      one.known = it_.describe(d, reused_);
      for (const auto &[type, amount] : reused_.resources) one.resources.emplace(type, amount);
      for (const auto &[key, value] : reused_.tags) one.tags.emplace(key, value);
      one.priority_class = reused_.priority_class;
      one.task_group = reused_.task_group;
      one.required_node = reused_.required_node;
      one.key = d.key;
      one.node = d.node;
      one.text = text_of(d);
      one.view = reused_;
      last_[d.kind()] = one;
    });
  }

  const said &last(decision_kind kind) {
    EXPECT_TRUE(last_.contains(kind)) << name(kind);
    return last_[kind];
  }

  void expect_all_of_the_ask(const said &one) {
    EXPECT_TRUE(one.known);
    EXPECT_EQ(one.resources, (std::map<std::string, int64_t>{{"vcore", 1'000}, {"memory", 200}}));
    EXPECT_EQ(one.tags, (std::map<std::string, std::string>{{"team", "blue"}, {"image", "spark"}}));
    EXPECT_EQ(one.view.priority, 70);
    EXPECT_EQ(one.priority_class, "urgent");
    EXPECT_EQ(one.task_group, "workers");
    EXPECT_EQ(one.required_node, "");
    EXPECT_TRUE(one.view.placeholder);
    EXPECT_TRUE(one.view.originator);
    EXPECT_FALSE(one.view.allow_preempt_self);
    EXPECT_TRUE(one.view.allow_preempt_other);
    EXPECT_EQ(one.view.max_allocations, 3);
    EXPECT_EQ(one.view.create_time_ms, 900'000);
    EXPECT_EQ(one.view.execution_timeout_ms, 60'000);
  }

  builtin_policy_source policies_{{{"node-attributes"}}};
  kernel it_{policies_};
  arena own_;
  int64_t now_ms_ = 1'000'000;
  placement_view reused_;
  std::map<decision_kind, said> last_;
};

TEST_F(Describe, AnAllocationCarriesAllOfItsAsk) {
  apply(full_ask());
  now_ms_ += 5;
  apply(step{{}, 1, {}});
  const said &made = last(decision_kind::allocated);
  expect_all_of_the_ask(made);
  EXPECT_EQ(made.view.bind_time_ms, 1'000'005);
}

TEST_F(Describe, AReleaseCarriesTheSameEvenOfWhatIsForgotten) {
  apply(full_ask());
  apply(step{{}, 3, {}});
  apply(remove_application{default_partition, "app"});
  expect_all_of_the_ask(last(decision_kind::released));
}

TEST_F(Describe, ADroppedAskCarriesIt) {
  add_application a;
  a.partition = default_partition;
  a.application = "gang";
  a.queue = "root.leaf";
  a.user = "testuser";
  a.execution_timeout_ms = 1'000;
  a.hard_gang = true;
  a.tags = own_.tags({{"tenon/gang-start", "piecewise"}});
  a.placeholder_ask = own_.resources({{"vcore", 90'000}});
  apply(a);
  put_ask c = full_ask();
  c.application = "gang";
  c.resources = own_.resources({{"vcore", 90'000}});
  apply(c);
  now_ms_ += 10'000;
  apply(advance{});
  const said &gone = last(decision_kind::ask_released);
  EXPECT_TRUE(gone.known);
  EXPECT_EQ(gone.resources, (std::map<std::string, int64_t>{{"vcore", 90'000}}));
  EXPECT_EQ(gone.view.bind_time_ms, 0);
  EXPECT_EQ(gone.task_group, "workers");
}

TEST_F(Describe, AResizedAllocationCarriesWhatItHasNowAndItsNode) {
  put_ask c = full_ask();
  c.max_allocations = 1;
  c.required_node = "node-1";
  apply(c);
  apply(step{{}, 1, {}});
  EXPECT_EQ(last(decision_kind::allocated).required_node, "node-1");
  put_allocation bigger;
  bigger.partition = default_partition;
  bigger.node = "node-1";
  bigger.allocation.ask = c;
  bigger.allocation.ask.resources = own_.resources({{"vcore", 3'000}});
  apply(bigger);
  release r;
  r.partition = default_partition;
  r.application = "app";
  apply(r);
  EXPECT_EQ(last(decision_kind::released).resources, (std::map<std::string, int64_t>{{"vcore", 3'000}}));
}

TEST_F(Describe, WhatIsRefusedIsNamedAndHasNothingMore) {
  apply(full_ask());
  apply(step{{}, 1, {}});  // leaves something in what is reused
  put_ask c = full_ask();
  c.key = "unknown-class";
  c.priority_class = "nothing";
  apply(c);
  const said &refused = last(decision_kind::ask_rejected);
  EXPECT_EQ(refused.key, "unknown-class");
  EXPECT_FALSE(refused.text.empty());
  EXPECT_FALSE(refused.known);
  EXPECT_TRUE(refused.resources.empty());
  EXPECT_TRUE(refused.tags.empty());
  EXPECT_EQ(refused.view.priority, 0);
  add_node n;
  n.partition = default_partition;
  n.node = "node-1";
  apply(n);
  EXPECT_EQ(last(decision_kind::node_rejected).node, "node-1");
  EXPECT_FALSE(last(decision_kind::node_rejected).known);
}

TEST_F(Describe, CostsNoMemoryWhereTheViewIsUsedAgain) {
  put_ask c = full_ask();
  for (int i = 0; i < 4; ++i) {
    c.key = own_.text("ask-" + std::to_string(i));
    apply(c);
  }
  it_.apply(now_ms_, step{{}, 8, {}});
  placement_view view;
  std::array<char, uuid_length> uuid{};
  size_t described = 0, allocated = 0;
  it_.drain([&](const decision_view &d) {
    allocation_count = 0;
    if (it_.describe(d, view)) {
      write_allocation_uuid(d, uuid);
      if (++described > 1) allocated += allocation_count;
    }
  });
  EXPECT_GT(described, 4U);
  EXPECT_EQ(allocated, 0U);
}

}  // namespace
}  // namespace tenon::testing
