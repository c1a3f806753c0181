// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whose verdicts a predicate's are: of asks with equal signatures and, where it reads them, equal resources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster.hpp"
#include "tenon/sdk/predicate_policy.hpp"
#include "with_module.hpp"

namespace {

using namespace tenon::sdk;

// Large asks stay off nodes that are kept for small ones. Its signature says nothing of the resources, as it may.
struct small_only {
  static constexpr std::string_view name = "small-only";
  static constexpr std::tuple columns{text_column{"node.attr:kept-for"},
                                      resources_column{"ask.resources", scope::context}};
  static constexpr std::array<std::string_view, 1> reasons{"the node is kept for small asks"};
  uint32_t vcore = TENON_NO_TYPE;

  void begin(const auto &nodes) {
    for (uint32_t t = 0; t < nodes.type_count(); ++t) {
      if (nodes.type_name(t) == "vcore") vcore = t;
    }
  }
  verdict filter(const auto &node) const {
    const auto [kept_for, wanted] = node.values();
    return kept_for && wanted[vcore] > 1'000 ? unresolvable(1) : pass();
  }
  std::array<uint64_t, 2> signature(const auto &) const { return {1, 1}; }
};

}  // namespace

TENON_MODULE(predicate<small_only>)

namespace tenon::testing {
namespace {

class with_predicate : public with_module {
 public:
  using with_module::with_module;
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override {
    std::vector<std::unique_ptr<bound_policy>> out;
    auto bound = bind(module_kind::predicate, "small-only", "{}", max_resource_types);
    if (!bound) return bound.why();
    out.push_back(std::move(*bound));
    return out;
  }
};

TEST(Verdict, OfAsksThatDifferInResourcesAloneIsTheirOwnWhereThePredicateReadsThem) {
  for (const bool large_first : {false, true}) {
    with_predicate policies{TENON_MODULE_ENTRY};
    cluster it(policies, {named_queue("a")});
    it.add_node("kept", {{"vcore", 100'000}}, {{"kept-for", "small"}});
    it.add_app("app", "root.a");
    const auto ask = [&](bool large) {
      it.ask("app", large ? "large" : "small", {{"vcore", large ? 2'000 : 1'000}});
      it.settle();
    };
    ask(large_first);
    ask(!large_first);
    EXPECT_EQ(it.placed("app", "small"), 1U) << "large first: " << large_first;
    EXPECT_EQ(it.placed("app", "large"), 0U) << "large first: " << large_first;
  }
}

TEST(Verdict, CopyByAnotherSourceHasItsPredicatesAndSaysTheirVerdicts) {
  with_module none{TENON_MODULE_ENTRY};
  with_predicate strict{TENON_MODULE_ENTRY};
  cluster it(none, {named_queue("a")});
  it.add_node("kept", {{"vcore", 100'000}}, {{"kept-for", "small"}});
  it.add_node("open", {{"vcore", 1'000}});
  it.add_app("app", "root.a");
  it.ask("app", "large", {{"vcore", 2'000}});
  const policy_question about{{{"app", "large"}}, {"kept", "open"}};
  const auto verdicts_of = [&](kernel &by) {
    std::vector<std::string> out;
    for (const policy_answer &one : by.ask_policies(first_partition, about))
      if (one.kind == module_kind::predicate)
        out.push_back(one.ask + " on " + one.item + ": " + one.verdict + one.reason);
    return out;
  };
  {
    const std::unique_ptr<kernel> copy = it->copy({}, &strict);
    EXPECT_EQ(verdicts_of(*copy),
              (std::vector<std::string>{"app/large on kept: unresolvablethe node is kept for small asks",
                                        "app/large on open: pass"}));
    EXPECT_EQ(copy->apply(copy->now_ms(), step{"", 1, {}}), 0U);
    copy->drain([](const decision_view &) {});
  }
  EXPECT_TRUE(verdicts_of(*it).empty());
  it.settle();
  EXPECT_EQ(it.placed("app", "large"), 1U);
}

}  // namespace
}  // namespace tenon::testing
