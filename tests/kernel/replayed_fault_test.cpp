// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A policy's fault comes from outside: a journal that says it happened has the same decisions without it.
#include <gmock/gmock.h>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

// The built-in policy, which fails at one of its calls.
class failing_policy : public bound_policy {
 public:
  failing_policy(std::unique_ptr<bound_policy> inner, int sound_calls)
      : inner_(std::move(inner)), sound_calls_(sound_calls) {
    name = inner_->name;
    columns = inner_->columns;
    key_words = inner_->key_words;
    reasons = inner_->reasons;
    instance = reinterpret_cast<tenon_instance *>(this);
    if (inner_->sort != nullptr) {
      keys_.keys = [](tenon_instance *self, const tenon_batch *batch, tenon_keys_out *out) {
        auto &policy = *reinterpret_cast<failing_policy *>(self);
        if (policy.sound_calls_-- == 0) return tenon_status{TENON_INTERNAL};
        return policy.inner_->sort->keys(policy.inner_->instance, batch, out);
      };
      sort = &keys_;
    } else {
      filter_.filter = [](tenon_instance *self, const tenon_batch *batch, tenon_filter_out *out) {
        auto &policy = *reinterpret_cast<failing_policy *>(self);
        if (policy.sound_calls_-- == 0) return tenon_status{TENON_INTERNAL};
        return policy.inner_->predicate->filter(policy.inner_->instance, batch, out);
      };
      filter_.signature = [](tenon_instance *self, const tenon_batch *batch, tenon_signature_out *out) {
        const bound_policy &sound = *reinterpret_cast<failing_policy *>(self)->inner_;
        return sound.predicate->signature(sound.instance, batch, out);
      };
      predicate = &filter_;
    }
  }

 private:
  std::unique_ptr<bound_policy> inner_;
  int sound_calls_;
  tenon_sort_v1 keys_{sizeof(tenon_sort_v1), 0, nullptr, nullptr, nullptr};
  tenon_predicate_v1 filter_{sizeof(tenon_predicate_v1), 0, nullptr, nullptr, nullptr};
};

struct failing_source : builtin_policy_source {
  failing_source(module_kind what, int calls)
      : builtin_policy_source({{"node-attributes"}}), fails(what), sound_calls(calls) {}

  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override {
    auto bound = builtin_policy_source::bind(kind, name, configuration, max_resource_types);
    if (!bound || kind != fails) return bound;
    return std::unique_ptr<bound_policy>(std::make_unique<failing_policy>(std::move(*bound), sound_calls));
  }
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override {
    auto bound = builtin_policy_source::predicates(max_resource_types);
    if (bound && fails == module_kind::predicate) {
      for (auto &one : *bound) one = std::make_unique<failing_policy>(std::move(one), sound_calls);
    }
    return bound;
  }
  std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) override {
    return sound_.fallback(kind, max_resource_types);
  }
  module_kind fails;
  int sound_calls;

 private:
  builtin_policy_source sound_;
};

std::vector<queue_config> leaves() {
  std::vector<queue_config> out{named_queue("a"), named_queue("b"), named_queue("c")};
  for (queue_config &q : out) q.properties["application.sort.policy"] = "fair";
  queue_config by_priority = named_queue("p", {}, std::move(out));
  by_priority.properties["queue.sort.policy"] = "priority";
  return {by_priority};
}

// Nodes of several sizes and zones, applications with an order of nodes of their own, and steps of many decisions.
void fill(cluster &c) {
  for (int i = 0; i < 6; ++i) {
    c.add_node("node-" + std::to_string(i), {{"vcore", 4 + i}, {"memory", 8 + 3 * i}},
               {{"si/zone", i % 2 == 0 ? "even" : "odd"}});
  }
  const std::array<std::string, 3> queues{"root.p.a", "root.p.b", "root.p.c"};
  for (int round = 0; round < 4; ++round) {
    for (int app = 0; app < 6; ++app) {
      const std::string id = "app-" + std::to_string(app);
      const std::map<std::string, std::string> order{{"tenon/node-sort", app % 2 == 0 ? "fair" : ""}};
      if (round == 0) c.add_app(id, queues[static_cast<size_t>(app % 3)], "testuser", order);
      const std::map<std::string, std::string> zone{{"si/zone", (app + round) % 2 == 0 ? "even" : "odd"}};
      for (const char *more : {"a", "b"}) {
        c.ask(id, "ask-" + std::to_string(round) + more, {{"vcore", 1 + app % 2}, {"memory", 1 + app}}, 0, zone);
      }
    }
    c.run(step{{}, 50, {}});
  }
}

std::vector<std::string> replayed(const std::string &journal, bool with_answers) {
  builtin_policy_source sound({{"node-attributes"}});
  kernel it(sound);
  std::vector<std::string> out;
  const auto read = read_journal(journal, [&](int64_t now_ms, const command &c) {
    command told = c;
    if (auto *taken = std::get_if<step>(&told); taken != nullptr && !with_answers) taken->answers = {};
    it.apply(now_ms, told);
    it.drain([&](const decision_view &d) { out.push_back(format(d)); });
  });
  EXPECT_TRUE(read);
  return out;
}

class ReplayedFault : public ::testing::TestWithParam<std::pair<module_kind, std::string>> {};

TEST_P(ReplayedFault, DecisionsAreThoseOfTheRunThatHadIt) {
  int faults = 0, mattered = 0;
  for (int sound_calls = 0; sound_calls < 12; ++sound_calls) {
    failing_source policies(GetParam().first, sound_calls);
    cluster c(policies, leaves(), "binpacking");
    fill(c);
    if (c->counters().policy_faults != 0) ++faults;
    const std::vector<std::string> again = replayed(c.journal(), true);
    ASSERT_EQ(again.size(), c.decisions().size()) << sound_calls;
    for (size_t i = 0; i < again.size(); ++i) ASSERT_EQ(again[i], c.decisions()[i]) << sound_calls;
    if (replayed(c.journal(), false) != c.decisions()) ++mattered;
  }
  EXPECT_GT(faults, 1);
  EXPECT_GT(mattered, 0);
}

// A predicate of which a call fails where `fails` says so.
struct unsound_predicate : bound_policy {
  unsound_predicate(std::unique_ptr<bound_policy> sound, const bool &filters_fail, const bool &signatures_fail)
      : bound_policy(*sound), inner(std::move(sound)), filter_fails(filters_fail), signature_fails(signatures_fail) {
    instance = reinterpret_cast<tenon_instance *>(this);
    table.filter = [](tenon_instance *self, const tenon_batch *batch, tenon_filter_out *out) {
      const auto &one = *reinterpret_cast<unsound_predicate *>(self);
      if (one.filter_fails) return tenon_status{TENON_INTERNAL};
      return one.inner->predicate->filter(one.inner->instance, batch, out);
    };
    table.signature = [](tenon_instance *self, const tenon_batch *batch, tenon_signature_out *out) {
      const auto &one = *reinterpret_cast<unsound_predicate *>(self);
      if (one.signature_fails) return tenon_status{TENON_INTERNAL};
      return one.inner->predicate->signature(one.inner->instance, batch, out);
    };
    predicate = &table;
  }
  std::unique_ptr<bound_policy> inner;
  const bool &filter_fails, &signature_fails;
  tenon_predicate_v1 table{sizeof(tenon_predicate_v1), 0, nullptr, nullptr, nullptr};
};
struct unsound_source : builtin_policy_source {
  unsound_source() : builtin_policy_source({{"node-attributes"}}) {}
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override {
    auto bound = builtin_policy_source::predicates(max_resource_types);
    for (auto &one : *bound) {
      one = std::make_unique<unsound_predicate>(std::move(one), filter_fails, signature_fails);
    }
    return bound;
  }
  bool filter_fails = false, signature_fails = false;
};

size_t allocated_in(const cluster &c) {
  return static_cast<size_t>(std::count_if(c.decisions().begin(), c.decisions().end(), [](const std::string &line) {
    return line.find("\tallocated\t") != std::string::npos;
  }));
}

TEST(FailedPredicate, ItsAsksWaitForASecondAndAreAskedAboutAgain) {
  unsound_source policies;
  cluster c(policies, leaves(), "fair");
  c.add_node("node-1", {{"vcore", 8}});
  c.add_app("app", "root.p.a");
  policies.filter_fails = true;
  c.ask("app", "held", {{"vcore", 1}});
  c.run(step{{}, 50, {}});
  policies.filter_fails = false;
  c.ask("app", "alike", {{"vcore", 1}});
  c.ask("app", "other", {{"vcore", 1}}, 0, {{"si/zone", "nowhere"}});
  c.run(step{{}, 50, {}});
  EXPECT_EQ(allocated_in(c), 0U);
  ASSERT_TRUE(c->next_due());
  c.advance(999);
  c.run(step{{}, 50, {}});
  EXPECT_EQ(allocated_in(c), 0U);
  c.advance(1);
  c.run(step{{}, 50, {}});
  EXPECT_EQ(allocated_in(c), 2U);
  EXPECT_EQ(replayed(c.journal(), true), c.decisions());
}

TEST(FailedPredicate, AsTheSignatureWasAtArrivalItIsInAReplay) {
  unsound_source policies;
  cluster c(policies, leaves(), "fair");
  c.add_node("node-1", {{"vcore", 8}});
  c.add_app("app", "root.p.a");
  c.ask("app", "first", {{"vcore", 1}});
  policies.signature_fails = true;
  c.ask("app", "alone", {{"vcore", 1}}, 1);
  policies.signature_fails = false;
  EXPECT_EQ(c->counters().policy_faults, 1U);
  policies.filter_fails = true;  // of both, for the one is asked about alone
  c.run(step{{}, 1, {}});
  policies.filter_fails = false;
  c.run(step{{}, 50, {}});
  EXPECT_EQ(allocated_in(c), 0U);
  EXPECT_EQ(c->counters().policy_faults, 3U);
  EXPECT_EQ(replayed(c.journal(), true), c.decisions());

  // The journal says it, and a kernel with sound predicates has it from there.
  builtin_policy_source sound({{"node-attributes"}});
  kernel again(sound);
  std::vector<policy_fault> faults;
  uint64_t told = 0;
  ASSERT_TRUE(read_journal(c.journal(), [&](int64_t now_ms, const command &one) {
    for (const step_answer &a : answers_of(one)) {
      told += a.fault.what == policy_fault::kind::predicate_signature && a.fault.asks == "app/alone" ? 1 : 0;
    }
    again.apply(now_ms, one);
    again.drain([](const decision_view &) {});
  }));
  EXPECT_EQ(told, 1U);
  EXPECT_EQ(again.counters().policy_faults, 3U);
}

TEST(FailedPredicate, ALookFromOutsideChangesNothing) {
  unsound_source policies;
  cluster c(policies, leaves(), "fair");
  c.add_node("node-1", {{"vcore", 8}});
  c.add_app("app", "root.p.a");
  c.ask("app", "ask", {{"vcore", 1}});
  policies.filter_fails = true;
  (void)c->explain(first_partition, "app", "ask");
  policies.filter_fails = false;
  c.run(step{{}, 1, {}});
  EXPECT_EQ(allocated_in(c), 1U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReplayedFault,
                         ::testing::Values(std::pair{module_kind::queue_sort, std::string("QueueOrder")},
                                           std::pair{module_kind::app_sort, std::string("ApplicationOrder")},
                                           std::pair{module_kind::node_sort, std::string("NodeOrder")},
                                           std::pair{module_kind::predicate, std::string("Predicate")}),
                         [](const auto &of) { return of.param.second; });

}  // namespace
}  // namespace tenon::testing
