// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/deployment.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "refusal_matchers.hpp"
#include "temp_folder.hpp"

namespace tenon::host {
namespace {

using ::testing::ElementsAre;
using testing::refusal_parts;
using testing::refuses;
using testing::temp_folder;

class Deployment : public ::testing::Test {
 protected:
  std::optional<deployment> parse(const std::string &text) {
    report_ = config::problems("tenon.yaml");
    return parse_deployment(text, folder_.path() / "tenon.yaml", report_);
  }
  std::vector<refusal> refusals_of(const std::string &text) {
    EXPECT_FALSE(parse("apiVersion: tenon/v1\n" + text));
    return report_.refusals();
  }

  temp_folder folder_;
  config::problems report_{"tenon.yaml"};
};

TEST_F(Deployment, WholeOneIsReadWithDefaultsAndPathsRelativeToTheFile) {
  folder_.make("mods");
  folder_.write("etc/queues.yaml", "partitions: []\n");
  const auto plan = parse(
      "apiVersion: tenon/v1\n"
      "module_path: [mods]\n"
      "modules:\n"
      "  - id: acme.binpack\n"
      "    digest: sha256:" +
      std::string(64, '0') +
      "\n"
      "    on_fault: stop\n"
      "    budget: { call_us: 500 }\n"
      "    config: { weights: { gpu: 4 }, strict: true, label: '7' }\n"
      "  - id: acme.other\n"
      "policy_groups: { default: etc/queues.yaml }\n"
      "predicates: [ { use: tenon.node-attributes } ]\n"
      "events: [ { use: tenon.ring, config: { size: 10 } } ]\n"
      "transports: [ { use: tenon.grpc, name: grpc } ]\n");
  ASSERT_TRUE(plan) << report_.refusals().front().text();
  EXPECT_THAT(plan->module_path, ElementsAre(folder_.path() / "mods"));
  ASSERT_EQ(plan->modules.size(), 2);
  const module_use &first = plan->modules[0];
  EXPECT_EQ(first.id, "acme.binpack");
  EXPECT_EQ(first.digest, std::string(64, '0'));
  EXPECT_EQ(first.on_fault, fault_action::stop);
  EXPECT_EQ(first.budget.call_us, 500);
  EXPECT_EQ(first.budget.overruns, 3);
  EXPECT_EQ(first.config.values.at("weights").at("gpu"), 4);
  EXPECT_EQ(first.config.values.at("strict"), true);
  EXPECT_EQ(first.config.values.at("label"), "7");
  const module_use &second = plan->modules[1];
  EXPECT_EQ(second.digest, std::nullopt);
  EXPECT_EQ(second.on_fault, fault_action::fallback);
  EXPECT_EQ(second.process.order_deadline, std::chrono::milliseconds(50));
  EXPECT_EQ(second.process.call_deadline, std::chrono::milliseconds(200));
  EXPECT_EQ(second.budget.call_us, 0);
  EXPECT_EQ(plan->policy_groups.at("default"), folder_.path() / "etc/queues.yaml");
  ASSERT_EQ(plan->predicates.size(), 1);
  EXPECT_EQ(plan->predicates[0].use, "tenon.node-attributes");
  ASSERT_EQ(plan->events.size(), 1);
  EXPECT_EQ(plan->events[0].config.values.at("size"), 10);
  ASSERT_EQ(plan->transports.size(), 1);
  EXPECT_EQ(plan->transports[0].name, "grpc");
}

TEST_F(Deployment, ApiVersionAloneIsADeployment) {
  const auto plan = parse("apiVersion: tenon/v1\n");
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->modules.empty());
  EXPECT_TRUE(plan->predicates.empty());
}

TEST_F(Deployment, WhatADaemonWritesAndHowItMovesIsRead) {
  const auto plan = parse(
      "apiVersion: tenon/v1\n"
      "cycle: { manual: true }\n"
      "control: { socket: run/tenon.sock }\n"
      "configuration: { store: state/sent }\n"
      "audit: { file: /var/log/audit.jsonl }\n");
  ASSERT_TRUE(plan) << report_.refusals().front().text();
  EXPECT_TRUE(plan->running.manual);
  EXPECT_EQ(plan->control_socket, folder_.path() / "run/tenon.sock");
  EXPECT_EQ(plan->configuration_store, folder_.path() / "state/sent");
  EXPECT_EQ(plan->audit_file, "/var/log/audit.jsonl");
  const auto none = parse("apiVersion: tenon/v1\n");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->running.manual);
  EXPECT_TRUE(none->configuration_store.empty());
  EXPECT_TRUE(none->audit_file.empty());
  EXPECT_THAT(refusals_of("configuration: { store: '' }\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:25", "a folder", "store is empty", "leave it out"})));
}

TEST_F(Deployment, AShadowIsRead) {
  EXPECT_FALSE(parse("apiVersion: tenon/v1\n")->shadow);
  const auto same = parse("apiVersion: tenon/v1\nshadow: {}\n");
  ASSERT_TRUE(same && same->shadow);
  EXPECT_EQ(same->shadow->every, 1'000U);
  EXPECT_EQ(same->shadow->restarts, 5U);
  EXPECT_EQ(same->shadow->most_behind, uint64_t{64} << 20);
  const auto other = parse(
      "apiVersion: tenon/v1\n"
      "shadow: { node_sort: binpacking, every: 7, restarts: 0, most_behind_mb: 2, hang: 2s }\n");
  ASSERT_TRUE(other && other->shadow) << report_.refusals().front().text();
  EXPECT_EQ(other->shadow->node_sort, "binpacking");
  EXPECT_EQ(other->shadow->every, 7U);
  EXPECT_EQ(other->shadow->restarts, 0U);
  EXPECT_EQ(other->shadow->most_behind, uint64_t{2} << 20);
  EXPECT_EQ(other->shadow->hang, std::chrono::seconds(2));
  EXPECT_THAT(refusals_of("shadow: { every: 0 }\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:18", "at least 1", "every is 0", "leave it out"})));
}

TEST_F(Deployment, NoApiVersionIsRefused) {
  EXPECT_FALSE(parse("modules: []\n"));
  EXPECT_THAT(report_.refusals(), ElementsAre(refuses(refusal_parts{"tenon.yaml:1:1", "", "apiVersion", ""})));
}

TEST_F(Deployment, UnknownKeyIsRefusedWithPlaceAndNearestKey) {
  EXPECT_THAT(refusals_of("predicate: []\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:1", "", "predicate", "predicates"})));
}

TEST_F(Deployment, UnknownKeyInAModuleIsRefusedWithPlaceAndNearestKey) {
  EXPECT_THAT(refusals_of("modules: [ { id: acme.x, on_failure: stop } ]\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:26", "", "on_failure", ""})));
}

TEST_F(Deployment, FaultActionThatIsNoneIsRefusedWithThoseThatExist) {
  EXPECT_THAT(refusals_of("modules: [ { id: acme.x, on_fault: stopp } ]\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:36", "", "stopp", "stop"})));
}

TEST_F(Deployment, SameModuleTwiceIsRefusedWithBothPlaces) {
  EXPECT_THAT(refusals_of("modules:\n  - id: acme.x\n  - id: acme.y\n  - id: acme.x\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:5:9", "once", "tenon.yaml:3:9", "remove one"})));
}

TEST_F(Deployment, SameKeyTwiceIsRefused) {
  EXPECT_THAT(refusals_of("modules: []\nmodules: []\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:3:1", "", "modules", ""})));
}

TEST_F(Deployment, PolicyGroupWithoutItsFileIsRefused) {
  EXPECT_THAT(
      refusals_of("policy_groups: { default: queus.yaml }\n"),
      ElementsAre(refuses(refusal_parts{"tenon.yaml:2:27", "group 'default'", "queus.yaml", "relative to this file"})));
}

TEST_F(Deployment, ModulePathWithoutItsFolderIsRefused) {
  EXPECT_THAT(refusals_of("module_path: [nowhere]\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:15", "folder", "nowhere", "module_path"})));
}

TEST_F(Deployment, ModuleIdThatIsNoneIsRefused) {
  EXPECT_THAT(refusals_of("predicates: [ { use: attributes } ]\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:22", "reverse-domain", "'attributes'", ""})));
}

TEST_F(Deployment, DigestThatIsNoneIsRefused) {
  EXPECT_THAT(
      refusals_of("modules: [ { id: acme.x, digest: sha256:abc } ]\n"),
      ElementsAre(refuses(refusal_parts{"tenon.yaml:2:34", "64 lower-case", "sha256:abc", "tenon plugin lock"})));
}

TEST_F(Deployment, ConfigurationThatIsNoMapIsRefused) {
  EXPECT_THAT(refusals_of("modules: [ { id: acme.x, config: [1] } ]\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:34", "map", "config is a list", ""})));
}

TEST_F(Deployment, EmptyEntryIsRefused) {
  EXPECT_THAT(refusals_of("modules: [ ~ ]\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:12", "a map", "empty entry in modules", ""})));
}

TEST_F(Deployment, BudgetOfNothingIsRefused) {
  EXPECT_THAT(refusals_of("modules: [ { id: acme.x, budget: { call_us: 0 } } ]\n"),
              ElementsAre(refuses(refusal_parts{"tenon.yaml:2:45", "at least 1", "call_us is 0", "leave it out"})));
}

TEST_F(Deployment, NumberThatCannotWorkIsRefusedInTheSameWordsInEachPart) {
  const auto part = [](const std::string &of) { return "modules: [ { id: acme.x, " + of + " } ]\n"; };
  const std::vector<std::array<std::string, 3>> cases{
      {part("process: { call_deadline: 0s }"), "a duration above 0, as 500ms", "call_deadline is '0s'"},
      {part("process: { descriptors: 3 }"), "at least 12", "descriptors is 3"},
      {part("shadow: { use: acme.y, call_deadline: 0s }"), "a duration above 0, as 500ms", "call_deadline is '0s'"},
      {part("shadow: { use: acme.y, faults: 0 }"), "at least 1", "faults is 0"},
      {"cycle: { idle: 0s }\n", "a duration above 0, as 500ms", "idle is '0s'"},
      {"rm: { max: 0 }\n", "at least 1", "max is 0"},
      {"rm: { max: 5000000000 }\n", "at most 4294967295", "max is 5000000000"},
      {"shadow: { most_behind_mb: 0 }\n", "at least 1", "most_behind_mb is 0"},
  };
  for (const auto &[text, want, have] : cases)
    EXPECT_THAT(refusals_of(text),
                ElementsAre(refuses(refusal_parts{"tenon.yaml:2:", want, have, "leave it out for the default"})));
}

TEST_F(Deployment, NoFileIsRefusedByName) {
  config::problems report("gone.yaml");
  EXPECT_FALSE(read_deployment("gone.yaml", report));
  EXPECT_THAT(report.refusals(),
              ElementsAre(refuses(refusal_parts{"gone.yaml", "deployment file", "no such file", ""})));
}

}  // namespace
}  // namespace tenon::host
