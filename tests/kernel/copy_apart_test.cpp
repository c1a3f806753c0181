// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A copy for another thread: policies of its own, and what it copied may go on or end.
#include <gmock/gmock.h>

#include <memory>
#include <set>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

// The built-in policy, that says which of its instances are called, and may have no second one.
struct watched_policy : bound_policy {
  watched_policy(std::unique_ptr<bound_policy> inner, std::multiset<const void *> &called, bool single)
      : bound_policy(*inner), inner_(std::move(inner)), called_(called), single_(single) {
    instance = reinterpret_cast<tenon_instance *>(this);
    keys_.keys = [](tenon_instance *self, const tenon_batch *batch, tenon_keys_out *out) {
      auto &policy = *reinterpret_cast<watched_policy *>(self);
      policy.called_.insert(self);
      return policy.inner_->sort->keys(policy.inner_->instance, batch, out);
    };
    sort = &keys_;
  }

  [[nodiscard]] result<std::unique_ptr<bound_policy>> another() const override {
    if (single_) return bound_policy::another();
    auto made = inner_->another();
    if (!made) return made.why();
    return std::unique_ptr<bound_policy>(std::make_unique<watched_policy>(std::move(*made), called_, false));
  }

 private:
  std::unique_ptr<bound_policy> inner_;
  std::multiset<const void *> &called_;
  const bool single_;
  tenon_sort_v1 keys_{sizeof(tenon_sort_v1), 0, nullptr, nullptr, nullptr};
};

struct watched_source : builtin_policy_source {
  explicit watched_source(bool single) : single_(single) {}

  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    auto bound = builtin_policy_source::bind(kind, name, configuration, max_resource_types);
    if (!bound || kind != module_kind::node_sort) return bound;
    return std::unique_ptr<bound_policy>(std::make_unique<watched_policy>(std::move(*bound), called, single_));
  }

  std::multiset<const void *> called;

 private:
  const bool single_;
};

void load(cluster &c) {
  for (const char *node : {"node-1", "node-2", "node-3"}) c.add_node(node, {{"vcore", 4}});
  c.add_app("app", "root.a");
  for (int i = 0; i < 5; ++i) c.ask("app", "ask-" + std::to_string(i), {{"vcore", 1}});
}

std::vector<std::string> settled(kernel &k, int64_t now_ms) {
  std::vector<std::string> out;
  (void)k.apply(now_ms, step{{}, 100, {}});
  k.drain([&](const decision_view &d) {
    if (d.is(decision_kind::allocated)) out.push_back(std::string(d.key) + " on " + std::string(d.node));
  });
  return out;
}

TEST(CopyApart, CallsInstancesOfItsOwnAndOutlivesWhatWasCopied) {
  watched_source policies(false);
  auto c = std::make_unique<cluster>(policies, std::vector<queue_config>{named_queue("a")});
  load(*c);
  auto copy = (*c)->copy_apart(policies);
  ASSERT_TRUE(copy) << copy.why().text();
  const auto its = [&] { return std::set<const void *>(policies.called.begin(), policies.called.end()); };
  policies.called.clear();
  const std::vector<std::string> decided = settled(**c, (*c)->now_ms());
  const std::set<const void *> live = its();
  c.reset();
  policies.called.clear();
  EXPECT_EQ(settled(**copy, (*copy)->now_ms()), decided);
  EXPECT_EQ(decided.size(), 5U);
  ASSERT_FALSE(live.empty());
  ASSERT_FALSE(its().empty());
  for (const void *one : its()) EXPECT_FALSE(live.contains(one)) << "an instance of both";
}

TEST(CopyApart, IsRefusedWhereAPolicyHasNoSecondInstance) {
  watched_source policies(true);
  cluster c(policies, {named_queue("a")});
  load(c);
  const auto copy = c->copy_apart(policies);
  ASSERT_FALSE(copy);
  EXPECT_THAT(copy.why().text(), ::testing::HasSubstr("policy fair: one that is given once"));
  EXPECT_EQ(settled(*c->copy(), c->now_ms()).size(), 5U) << "lent ones will do on its own thread";
}

}  // namespace
}  // namespace tenon::testing
