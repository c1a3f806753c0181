// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The built-in modules, opened from where the build puts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "refusal_matchers.hpp"
#include "temp_folder.hpp"
#include "tenon/host/module_host.hpp"

namespace tenon::host {
namespace {

using testing::refusal_parts;
using testing::refuses;
using testing::temp_folder;

class Bind : public ::testing::Test {
 protected:
  result<std::unique_ptr<module_host>> open(const std::filesystem::path &file = {}) {
    host_options options;
    options.cache_directory = folder_.path() / "cache";
    return open_deployment(file, options);
  }
  std::unique_ptr<module_host> opened(const std::filesystem::path &file = {}) {
    auto host = open(file);
    EXPECT_TRUE(host) << host.why().text();
    return host ? std::move(*host) : nullptr;
  }

  temp_folder folder_;
};

// Keys that a fair node-sort gives one node with this free amount of the one type vcore.
uint64_t key_of(const bound_policy &policy, int64_t free, int64_t total) {
  const std::array<int64_t, 2> values{free, total};
  const uint32_t item = 0;
  std::array<tenon_column, 2> columns{};
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(policy.columns.at(i).id, i == 0 ? "node.free" : "node.total");
    columns[i] = {sizeof(tenon_column), TENON_COLUMN_RESOURCES, &values[i], nullptr, 8, 8, 8};
  }
  const tenon_text type{"vcore", 5};
  const tenon_batch batch{sizeof batch,    1, &item, columns.data(), 2, sizeof(tenon_column), &type, 1, 0, 0,
                          TENON_WORLD_LIVE};
  uint64_t key = 0;
  int64_t not_before = INT64_MIN, valid_until = INT64_MAX;
  tenon_keys_out out{sizeof out, policy.key_words, &key, &not_before, &valid_until};
  const role_guard cycle(thread_role::cycle);
  EXPECT_EQ(policy.sort->keys(policy.instance, &batch, &out), TENON_OK);
  return key;
}

TEST_F(Bind, DefaultDeploymentBindsEachBuiltInPolicy) {
  const auto host = opened();
  ASSERT_TRUE(host);
  for (const auto &[kind, name] : {std::pair{module_kind::queue_sort, "fair"},
                                   {module_kind::queue_sort, "priority"},
                                   {module_kind::app_sort, "fifo"},
                                   {module_kind::app_sort, "fair"},
                                   {module_kind::app_sort, "stateaware"},
                                   {module_kind::node_sort, "fair"},
                                   {module_kind::node_sort, "binpacking"}}) {
    const auto policy = host->bind(kind, name, "{}", 16);
    ASSERT_TRUE(policy) << policy.why().text();
    EXPECT_EQ((*policy)->name, name);
    EXPECT_THAT((*policy)->provider, ::testing::StartsWith("tenon."));
    EXPECT_FALSE((*policy)->columns.empty());
    EXPECT_GE((*policy)->key_words, 1);
    ASSERT_NE((*policy)->sort, nullptr);
    EXPECT_NE((*policy)->sort->keys, nullptr);
  }
}

TEST_F(Bind, DefaultDeploymentBindsEachRuleAndIdentity) {
  const auto host = opened();
  ASSERT_TRUE(host);
  for (const auto &[name, configuration] : {std::pair{"provided", "{}"},
                                            {"user", R"({"value": "not used"})"},
                                            {"tag", R"({"value": "namespace"})"},
                                            {"fixed", R"({"value": "root.a"})"}}) {
    const auto rule = host->bind(module_kind::placement_rule, name, configuration, 16);
    ASSERT_TRUE(rule) << rule.why().text();
    EXPECT_EQ((*rule)->name, name);
    ASSERT_NE((*rule)->placement, nullptr);
  }
  for (const char *name : {"none", "os"}) {
    const auto identity = host->bind(module_kind::identity, name, "{}", 16);
    ASSERT_TRUE(identity) << identity.why().text();
    ASSERT_NE((*identity)->identity, nullptr);
  }
}

TEST_F(Bind, RuleWithoutTheValueThatItNeedsIsRefused) {
  const auto host = opened();
  ASSERT_TRUE(host);
  for (const char *name : {"tag", "fixed"}) {
    const auto rule = host->bind(module_kind::placement_rule, name, "{}", 16);
    ASSERT_FALSE(rule);
    EXPECT_THAT(rule.why(), refuses(refusal_parts{"placement-rule '" + std::string(name) + "'", "", "value", ""}));
  }
}

TEST_F(Bind, ProvidesWhatItBinds) {
  const auto host = opened();
  ASSERT_TRUE(host);
  EXPECT_TRUE(host->provides(module_kind::node_sort, "fair"));
  EXPECT_TRUE(host->provides(module_kind::placement_rule, "fixed"));
  EXPECT_FALSE(host->provides(module_kind::placement_rule, "fair"));
  EXPECT_FALSE(host->provides(module_kind::identity, "directory"));
}

TEST_F(Bind, PolicyOfAModuleDecidesAsItsSourceSays) {
  const auto host = opened();
  ASSERT_TRUE(host);
  const auto fair = host->bind(module_kind::node_sort, "fair", "{}", 16);
  const auto packing = host->bind(module_kind::node_sort, "binpacking", "{}", 16);
  ASSERT_TRUE(fair && packing);
  EXPECT_LT(key_of(**fair, 80, 100), key_of(**fair, 20, 100));
  EXPECT_GT(key_of(**packing, 80, 100), key_of(**packing, 20, 100));
}

TEST_F(Bind, EqualsTheCopyThatIsLinkedIn) {
  const auto host = opened();
  ASSERT_TRUE(host);
  const auto module = host->bind(module_kind::node_sort, "fair", "{}", 16);
  ASSERT_TRUE(module);
  const auto linked = host->fallback(module_kind::node_sort, 16);
  for (int64_t free = 0; free <= 100; free += 7) EXPECT_EQ(key_of(**module, free, 100), key_of(*linked, free, 100));
}

TEST_F(Bind, UnknownPolicyIsRefusedWithThoseThatExist) {
  const auto host = opened();
  ASSERT_TRUE(host);
  const auto policy = host->bind(module_kind::node_sort, "binpackin", "{}", 16);
  ASSERT_FALSE(policy);
  EXPECT_THAT(policy.why(), refuses(refusal_parts{"", "one of binpacking, device-packing, fair, gpu-pack",
                                                  "'binpackin'", "did you mean 'binpacking'?"}));
}

TEST_F(Bind, ConfigurationThatTheSchemaRefusesIsRefusedWithTheKey) {
  const auto host = opened();
  ASSERT_TRUE(host);
  const auto policy = host->bind(module_kind::node_sort, "fair", R"({"resourceweights": {"vcore": -1}})", 16);
  ASSERT_FALSE(policy);
  EXPECT_THAT(policy.why(),
              refuses(refusal_parts{"node-sort 'fair'", "at least 0", "resourceweights.vcore is -1", ""}));
}

TEST_F(Bind, UnknownConfigurationKeyIsRefusedWithTheNearest) {
  const auto host = opened();
  ASSERT_TRUE(host);
  const auto policy = host->bind(module_kind::node_sort, "fair", R"({"resourceweight": {}})", 16);
  ASSERT_FALSE(policy);
  EXPECT_THAT(policy.why(), refuses(refusal_parts{"node-sort 'fair'", "", "resourceweight", "resourceweights"}));
}

TEST_F(Bind, DeploymentThatNamesNoModuleStillHasTheBuiltInOnes) {
  const auto host = opened(folder_.write("tenon.yaml", "apiVersion: tenon/v1\n"));
  ASSERT_TRUE(host);
  EXPECT_TRUE(host->bind(module_kind::app_sort, "fifo", "{}", 16));
  const auto predicates = host->predicates(16);
  ASSERT_TRUE(predicates);
  EXPECT_TRUE(predicates->empty());
}

TEST_F(Bind, ConfigurationOfTheDeploymentIsTheBaseOfEveryInstance) {
  const auto host =
      opened(folder_.write("tenon.yaml",
                           "apiVersion: tenon/v1\n"
                           "modules: [ { id: tenon.node-fair, config: { resourceweights: { gpu: 1 } } } ]\n"));
  ASSERT_TRUE(host);
  const auto based = host->bind(module_kind::node_sort, "fair", "{}", 16);
  const auto own = host->bind(module_kind::node_sort, "fair", R"({"resourceweights": {"vcore": 1}})", 16);
  ASSERT_TRUE(based && own);
  // vcore has no weight in the deployment's configuration, and has one where the queue configuration says so.
  EXPECT_EQ(key_of(**based, 80, 100), key_of(**based, 20, 100));
  EXPECT_NE(key_of(**own, 80, 100), key_of(**own, 20, 100));
}

TEST_F(Bind, ConfigurationOfTheDeploymentThatTheSchemaRefusesIsRefusedAtItsPlace) {
  const auto host = open(folder_.write("tenon.yaml",
                                       "apiVersion: tenon/v1\n"
                                       "modules:\n"
                                       "  - id: tenon.node-fair\n"
                                       "    config: { resourceweights: { gpu: much } }\n"));
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"tenon.yaml:4:39", "number", "\"much\"", ""}));
}

TEST_F(Bind, ModuleThatIsNotThereIsRefusedAtItsPlaceWithTheNearest) {
  const auto host = open(folder_.write("tenon.yaml", "apiVersion: tenon/v1\nmodules: [ { id: tenon.node-fare } ]\n"));
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"tenon.yaml:2:18", "manifest of a module", "'tenon.node-fare'",
                                                "tenon.node-fair"}));
}

TEST_F(Bind, UseOfAModuleOfAnotherKindIsRefusedAtItsPlace) {
  const auto host =
      open(folder_.write("tenon.yaml", "apiVersion: tenon/v1\npredicates: [ { use: tenon.node-fair } ]\n"));
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(),
              refuses(refusal_parts{"tenon.yaml:2:22", "tenon.predicate", "'tenon.node-fair' provides none", ""}));
}

TEST_F(Bind, OpenToFaultsIsForPredicatesAlone) {
  const auto host =
      open(folder_.write("tenon.yaml", "apiVersion: tenon/v1\nmodules: [ { id: tenon.node-fair, on_fault: open } ]\n"));
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"tenon.yaml:2:18", "fallback or stop", "provides no predicate", ""}));
}

TEST_F(Bind, PinnedDigestOfAnotherBuildIsRefused) {
  const auto host = open(folder_.write(
      "tenon.yaml",
      "apiVersion: tenon/v1\nmodules: [ { id: tenon.node-fair, digest: sha256:" + std::string(64, '0') + " } ]\n"));
  ASSERT_FALSE(host);
  EXPECT_THAT(host.why(), refuses(refusal_parts{"node-fair.so", "as the deployment says", "sha256:", "pin this one"}));
}

TEST_F(Bind, TwoHostsCountApart) {
  const auto one = opened(), other = opened();
  ASSERT_TRUE(one && other);
  const auto policy = one->bind(module_kind::node_sort, "fair", "{}", 16);
  ASSERT_TRUE(policy);
  ASSERT_TRUE(other->bind(module_kind::node_sort, "fair", "{}", 16));
  const auto calls = [](const module_host &host) {
    for (const module_counters &one_module : host.counters())
      if (one_module.id == "tenon.node-fair") return one_module.calls;
    return uint64_t{0};
  };
  const uint64_t before_one = calls(*one), before_other = calls(*other);
  key_of(**policy, 1, 2);
  EXPECT_EQ(calls(*one), before_one + 1);
  EXPECT_EQ(calls(*other), before_other);
}

TEST_F(Bind, ModulesAreLookedAtWhileOneIsLoaded) {
  const auto host = opened();
  ASSERT_TRUE(host);
  const auto is_loaded = [&] {
    const std::vector<module_status> all = host->modules();
    return std::any_of(all.begin(), all.end(),
                       [](const module_status &one) { return one.id == "tenon.node-fair" && one.loaded; });
  };
  EXPECT_FALSE(is_loaded());
  std::atomic<bool> bound = false;
  std::thread other([&] {
    while (!is_loaded() && !bound) std::this_thread::yield();
  });
  const auto policy = host->bind(module_kind::node_sort, "fair", "{}", 16);
  bound = true;
  other.join();
  ASSERT_TRUE(policy);
  EXPECT_TRUE(is_loaded());
}

TEST_F(Bind, FirstOfTwoHostsGoneTheOtherGoesOn) {
  auto one = opened();
  const auto other = opened();
  ASSERT_TRUE(one && other);
  ASSERT_TRUE(one->bind(module_kind::node_sort, "fair", "{}", 16));
  const auto policy = other->bind(module_kind::node_sort, "fair", "{}", 16);
  ASSERT_TRUE(policy);
  one.reset();
  EXPECT_LT(key_of(**policy, 80, 100), key_of(**policy, 20, 100));
  EXPECT_TRUE(other->bind(module_kind::node_sort, "fair", "{}", 16));
}

TEST_F(Bind, ModulesAreListedWithWhatTheyProvide) {
  const auto host = opened();
  ASSERT_TRUE(host);
  ASSERT_TRUE(host->bind(module_kind::node_sort, "fair", "{}", 16));
  bool found = false;
  for (const module_status &module : host->modules()) {
    if (module.id != "tenon.node-fair") {
      EXPECT_FALSE(module.loaded && module.provides.front().interface == "tenon.node-sort/1") << module.id;
      continue;
    }
    found = true;
    EXPECT_TRUE(module.loaded);
    EXPECT_TRUE(module.built_in);
    EXPECT_EQ(module.provides.front().name, "fair");
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace tenon::host
