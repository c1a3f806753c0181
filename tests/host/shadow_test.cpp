// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A policy with a shadow: the kernel decides as without it, whatever the shadow does, and what it says differently is
// counted and named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "busy_threads.hpp"
#include "children.hpp"
#include "fixture_folder.hpp"
#include "kernel/cluster.hpp"
#include "tenon/host/reader_question.hpp"

namespace tenon::host {
namespace {

using tenon::testing::cluster;
using tenon::testing::named_queue;
using testing::busy_threads;
using testing::children;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fixture_folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char patient[] = ", call_deadline: 20s";

class CallShadow : public ::testing::Test {
 protected:
  CallShadow() {
    modules_.options.built_in_modules.clear();  // those of the build
    modules_.options.check_calls = true;
    modules_.options.on_fault = [this](const module_fault &fault) { faults_.push_back(fault.slot + " " + fault.text); };
  }

  result<std::unique_ptr<module_host>> opened(const std::string &entries, const std::string &more = "") {
    modules_.folder.make("mods");
    return open_deployment(
        modules_.folder.write("tenon.yaml", "apiVersion: tenon/v1\nmodule_path: [mods]\nmodules:\n" + entries + more),
        modules_.options);
  }
  void open(const std::string &entries, const std::string &more = "predicates: [ { use: tenon.node-attributes } ]\n") {
    auto host = opened(entries, more);
    ASSERT_TRUE(host) << host.why().text();
    host_ = std::move(*host);
  }

  static std::vector<queue_config> leaves() {
    queue_config fair = named_queue("fair");
    fair.properties["application.sort.policy"] = "fair";
    return {named_queue("fifo"), fair};
  }

  // Nodes of several sizes, more asks than fit, some of which may run on some nodes alone, and room made again.
  static void fill(cluster &c) {
    for (int i = 0; i < 6; ++i)
      c.add_node("node-" + std::to_string(i), {{"vcore", 4000 + 1000 * i}, {"memory", 8 << i}},
                 {{"si/zone", i % 2 == 0 ? "a" : "b"}});
    for (int app = 0; app < 6; ++app) {
      const std::string id = "app-" + std::to_string(app);
      c.add_app(id, app % 2 == 0 ? "root.fifo" : "root.fair");
      for (int i = 0; i < 8; ++i)
        c.ask(id, "ask-" + std::to_string(i), {{"vcore", 500 + 250 * app}, {"memory", 1 + i}}, i % 3,
              i % 4 == 0 ? std::map<std::string, std::string>{{"si/zone", "a"}} : std::map<std::string, std::string>{});
    }
    c.settle();
    for (int app = 0; app < 6; app += 2) c.give_back("app-" + std::to_string(app), "ask-1");
    c.settle();
  }

  // What is decided with the deployment's policies and no shadow.
  static std::vector<std::string> without(const std::string &node_sort = "fair") {
    host_options quiet;
    quiet.log = std::make_shared<spdlog::logger>("none");
    const auto host = open_deployment({}, quiet);
    EXPECT_TRUE(host);
    cluster alone(**host, leaves(), node_sort);
    fill(alone);
    return alone.decisions();
  }

  void expect_as_without(const std::string &node_sort = "fair") {
    cluster shadowed(*host_, leaves(), node_sort);
    fill(shadowed);
    EXPECT_EQ(shadowed.decisions(), without(node_sort));
    EXPECT_EQ(shadowed->counters().policy_faults, 0);
    EXPECT_THAT(faults_, IsEmpty());
  }

  [[nodiscard]] call_shadow_status shadow(const std::string &kind, const std::string &name) const {
    for (const call_shadow_status &one : host_->shadows())
      if (one.kind == kind && one.name == name) return one;
    ADD_FAILURE() << "no shadow of " << kind << " " << name;
    return {};
  }

  fixture_folder modules_;
  std::unique_ptr<module_host> host_;
  std::vector<std::string> faults_;
  role_guard cycle_{thread_role::cycle};
};

// An entry of each module, each with itself as its shadow.
std::string mirrored() {
  std::string out;
  for (const char *id : {"app-fair", "app-fifo", "node-attributes", "node-binpacking", "node-fair", "queue-fair"})
    out += "  - { id: tenon." + std::string(id) + ", shadow: { use: tenon." + id + patient + " } }\n";
  return out;
}

TEST_F(CallShadow, OfTheSameModuleNeverDiffersAndDecidesNothing) {
  for (const char *order : {"fair", "binpacking"}) {
    open(mirrored());
    expect_as_without(order);
    for (const auto &[kind, name] : std::vector<std::pair<std::string, std::string>>{
             {"node-sort", order}, {"app-sort", "fair"}, {"app-sort", "fifo"}, {"predicate", "node-attributes"}}) {
      const call_shadow_status found = shadow(kind, name);
      EXPECT_GT(found.calls, 0) << kind << " " << name;
      EXPECT_GE(found.items, found.calls);
      EXPECT_EQ(found.all_differences(), 0) << kind << " " << name;
      EXPECT_EQ(found.faults + found.skipped, 0);
      EXPECT_EQ(found.off, "");
    }
  }
}

TEST_F(CallShadow, ThatOrdersOtherwiseIsNamedWithTheNodesAndBothKeys) {
  open("  - { id: tenon.node-fair, shadow: { use: tenon.node-binpacking, call_deadline: 20s } }\n");
  cluster c(*host_, {named_queue("q")});
  c.add_node("node-a", {{"vcore", 4000}});
  c.add_node("node-b", {{"vcore", 4000}});
  c.add_app("app", "root.q");
  c.ask("app", "one", {{"vcore", 1000}});
  c.settle();
  EXPECT_EQ(shadow("node-sort", "fair").all_differences(), 0) << "empty nodes are alike for both";
  c.ask("app", "two", {{"vcore", 1000}});
  c.settle();
  const call_shadow_status found = shadow("node-sort", "fair");
  ASSERT_THAT(found.first_differences, Not(IsEmpty()));
  const shadow_difference &first = found.first_differences.front();
  EXPECT_EQ(first.kind, shadow_difference_kind::order);
  EXPECT_THAT(first.objects, ElementsAre("node-b", "node-a")) << "the emptier one comes first in force";
  EXPECT_EQ(first.slot, "keys");
  EXPECT_THAT(first.first, HasSubstr("keys "));
  EXPECT_NE(first.first, first.shadow);
  EXPECT_EQ(first.at_ms, 1'000'000);
  EXPECT_THAT(modules_.log(), HasSubstr("differs first: order of node-b and node-a"));
}

TEST_F(CallShadow, WithAnotherConfigurationIsAnother) {
  open(
      "  - { id: tenon.node-fair, shadow: { use: tenon.node-fair, config: { resourceweights: { vcore: 0, memory: 1 } "
      "}" +
      std::string(patient) + " } }\n");
  expect_as_without();
  EXPECT_GT(shadow("node-sort", "fair").all_differences(), 0);
}

TEST_F(CallShadow, OfTheProjectsOwnMayLiveInTheSchedulersProcess) {
  open("  - { id: tenon.node-fair, shadow: { use: tenon.node-binpacking, isolation: none } }\n");
  expect_as_without();
  EXPECT_GT(shadow("node-sort", "fair").all_differences(), 0);
  modules_.install("good");
  const auto other = opened("  - { id: tenon.node-fair, shadow: { use: test.good, isolation: none } }\n");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.why().text(), HasSubstr("isolation: none for 'test.good'"));
}

TEST_F(CallShadow, MayReadWhatTheFirstDoesNot) {
  open("  - { id: tenon.app-fifo, shadow: { use: tenon.app-fair" + std::string(patient) + " } }\n");
  expect_as_without();
  const call_shadow_status found = shadow("app-sort", "fifo");
  EXPECT_EQ(found.off, "");
  EXPECT_GT(found.calls, 0);
}

TEST_F(CallShadow, NamesApplicationsWithTheirQueue) {
  open("  - { id: tenon.app-fair, shadow: { use: tenon.app-fifo" + std::string(patient) + " } }\n");
  cluster c(*host_, leaves());
  c.add_node("node", {{"vcore", 4000}});
  for (const char *app : {"app-1", "app-2"}) {
    c.add_app(app, "root.fair");
    c.advance(10);
  }
  for (const char *app : {"app-1", "app-2"}) c.ask(app, "ask", {{"vcore", 100}});
  c.settle();
  const call_shadow_status found = shadow("app-sort", "fair");
  ASSERT_THAT(found.first_differences, Not(IsEmpty()));
  const shadow_difference &first = found.first_differences.front();
  EXPECT_EQ(first.kind, shadow_difference_kind::tie) << "both have nothing, and one came first";
  EXPECT_THAT(first.objects, ElementsAre("app-1", "app-2"));
  EXPECT_EQ(first.of, "root.fair");
}

TEST_F(CallShadow, OfAPredicateIsComparedByVerdicts) {
  modules_.install("filter_passes", {.interface = TENON_PREDICATE});
  open("  - { id: tenon.node-attributes, shadow: { use: test.filter-passes" + std::string(patient) + " } }\n");
  expect_as_without();
  const call_shadow_status found = shadow("predicate", "node-attributes");
  EXPECT_GT(found.differences[static_cast<size_t>(shadow_difference_kind::verdict)], 0);
  ASSERT_THAT(found.first_differences, Not(IsEmpty()));
  const shadow_difference &first = found.first_differences.front();
  EXPECT_THAT(first.objects, ElementsAre("node-1"));
  EXPECT_THAT(first.of, HasSubstr("vcore: "));
  EXPECT_EQ(first.shadow, "passes");
}

TEST_F(CallShadow, OfAPlacementRuleIsComparedByQueues) {
  open("  - { id: tenon.placement-fixed, shadow: { use: tenon.placement-fixed, config: { value: root.fair }" +
       std::string(patient) + " } }\n");
  cluster c(*host_, leaves());
  cluster_config config = c.config();
  placement_rule_config rule;
  rule.name = "fixed";
  rule.value = "root.fifo";
  config.partitions.front().placement_rules.push_back(rule);
  c.configure(config);
  c.add_app("app", "");
  EXPECT_THAT(c.decisions(), Contains(HasSubstr("root.fifo")));
  const call_shadow_status found = shadow("placement-rule", "fixed");
  EXPECT_EQ(found.calls, 1);
  ASSERT_THAT(found.first_differences, SizeIs(1));
  const shadow_difference &first = found.first_differences.front();
  EXPECT_EQ(first.kind, shadow_difference_kind::queue);
  EXPECT_THAT(first.objects, ElementsAre("app"));
  EXPECT_THAT(first.first, HasSubstr("root.fifo"));
  EXPECT_THAT(first.shadow, HasSubstr("root.fair"));
  EXPECT_EQ(first.of, "user testuser");
}

// -- Its faults are its own. --

TEST_F(CallShadow, ThatAbortsIsSwitchedOffAndChangesNoDecision) {
  modules_.install("keys_abort");
  open("  - { id: tenon.node-fair, shadow: { use: test.keys-abort, faults: 1" + std::string(patient) + " } }\n");
  expect_as_without();
  const call_shadow_status found = shadow("node-sort", "fair");
  EXPECT_EQ(found.faults, 1);
  EXPECT_EQ(found.calls, 0);
  EXPECT_THAT(found.off, HasSubstr("1 faults, the last one: keys "));
  EXPECT_THAT(found.off, HasSubstr("it is over"));
  EXPECT_THAT(modules_.log(), HasSubstr("is switched off"));
  for (const module_counters &one : host_->counters()) EXPECT_EQ(one.faults, 0) << one.id;
}

TEST_F(CallShadow, ThatSpinsIsGivenUpAtItsDeadlineAndChangesNoDecision) {
  modules_.install("keys_spin");
  open("  - { id: tenon.node-fair, shadow: { use: test.keys-spin, call_deadline: 50ms, faults: 1 } }\n");
  expect_as_without();
  EXPECT_THAT(shadow("node-sort", "fair").off, HasSubstr("gave no answer in 50 ms"));
}

TEST_F(CallShadow, ThatWaitsForAProcessorIsGivenUpAtItsDeadline) {
  modules_.install("keys_spin");
  open("  - { id: tenon.node-fair, shadow: { use: test.keys-spin, call_deadline: 50ms, faults: 1 } }\n");
  cluster shadowed(*host_, leaves());
  const std::vector<pid_t> found = children();
  ASSERT_THAT(found, SizeIs(1));
  const busy_threads others(8, found[0]);
  fill(shadowed);
  const std::string off = shadow("node-sort", "fair").off;
  EXPECT_THAT(off, HasSubstr("gave no answer in 50 ms"));
  EXPECT_THAT(off, Not(HasSubstr("wait for a processor")));
}

TEST_F(CallShadow, CallsWithoutItsProcessAreSkippedAndNoFaults) {
  modules_.install("keys_abort");
  open("  - { id: tenon.node-fair, shadow: { use: test.keys-abort, faults: 1000" + std::string(patient) + " } }\n");
  expect_as_without();
  const call_shadow_status found = shadow("node-sort", "fair");
  EXPECT_GE(found.faults, 1);
  EXPECT_GT(found.skipped, 0);
  EXPECT_EQ(found.off, "");
}

TEST_F(CallShadow, WrongAnswersAreItsFaults) {
  modules_.install("keys_unknown_status");
  open("  - { id: tenon.node-fair, shadow: { use: test.keys-unknown-status" + std::string(patient) + " } }\n");
  expect_as_without();
  const call_shadow_status found = shadow("node-sort", "fair");
  EXPECT_EQ(found.faults, 3);
  EXPECT_THAT(found.off, HasSubstr("3 faults"));
}

TEST_F(CallShadow, ThatDoesNotStartLeavesTheFirstAlone) {
  modules_.install("start_fails");
  open("  - { id: tenon.node-fair, shadow: { use: test.start-fails" + std::string(patient) + " } }\n");
  expect_as_without();
  EXPECT_THAT(shadow("node-sort", "fair").off, HasSubstr("start"));
}

// -- Who asks. --

TEST_F(CallShadow, IsNotAskedForReaders) {
  open("  - { id: tenon.node-fair, shadow: { use: tenon.node-fair" + std::string(patient) + " } }\n");
  cluster c(*host_, leaves());
  {
    const reader_question asked;
    fill(c);
  }
  EXPECT_EQ(shadow("node-sort", "fair").calls, 0);
}

TEST_F(CallShadow, IsIgnoredWhereNobodyWantsShadows) {
  modules_.options.shadows = false;
  open("  - { id: tenon.node-fair, shadow: { use: acme.not-there } }\n");
  expect_as_without();
  EXPECT_THAT(host_->shadows(), IsEmpty());
}

// -- What is refused. --

TEST_F(CallShadow, IsRefusedWhereItIsNotThereOrOfAnotherKind) {
  const auto refused = [&](const std::string &entry) {
    const auto host = opened("  - " + entry + "\n");
    EXPECT_FALSE(host) << entry;
    return host ? std::string() : host.why().text();
  };
  EXPECT_THAT(refused("{ id: tenon.node-fair, shadow: { use: acme.not-there } }"),
              HasSubstr("no module 'acme.not-there'"));
  EXPECT_THAT(refused("{ id: tenon.node-fair, shadow: { use: tenon.app-fair } }"),
              HasSubstr("as 'tenon.node-fair' does"));
  EXPECT_THAT(refused("{ id: tenon.node-fair, shadow: { use: tenon.node-binpacking, name: other } }"),
              HasSubstr("none called 'other'"));
  EXPECT_THAT(refused("{ id: tenon.node-fair, shadow: { use: tenon.node-fair, config: { colour: 1 } } }"),
              HasSubstr("colour"));
  EXPECT_THAT(refused("{ id: tenon.node-fair, shadow: { use: tenon.node-fair, faults: 0 } }"),
              HasSubstr("faults is 0"));
  EXPECT_THAT(refused("{ id: tenon.node-fair, shadow: { use: tenon.node-fair, call_deadline: 0s } }"),
              HasSubstr("call_deadline is '0s'"));
  EXPECT_THAT(refused("{ id: tenon.rest, shadow: { use: tenon.rest } }"), HasSubstr("process of its own"));
}

}  // namespace
}  // namespace tenon::host
