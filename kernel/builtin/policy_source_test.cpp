// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/builtin/policy_source.hpp"

#include <gmock/gmock.h>

#include <set>

namespace tenon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(BuiltinPolicySource, EveryNameOfTheFieldIsBound) {
  builtin_policy_source source;
  struct entry {
    module_kind kind;
    std::string name, configuration = "{}";
  };
  const std::vector<entry> entries{{module_kind::queue_sort, "fair"},
                                   {module_kind::queue_sort, "priority"},
                                   {module_kind::app_sort, "fifo"},
                                   {module_kind::app_sort, "fair"},
                                   {module_kind::app_sort, "stateaware"},
                                   {module_kind::node_sort, "fair"},
                                   {module_kind::node_sort, "binpacking"},
                                   {module_kind::node_sort, "device-packing"},
                                   {module_kind::node_sort, "gpu-pack"},
                                   {module_kind::predicate, "node-attributes"},
                                   {module_kind::placement_rule, "provided"},
                                   {module_kind::placement_rule, "user"},
                                   {module_kind::placement_rule, "tag", R"({"value": "namespace"})"},
                                   {module_kind::placement_rule, "fixed", R"({"value": "root.a"})"},
                                   {module_kind::identity, "none"},
                                   {module_kind::identity, "os"}};
  std::set<std::string> providers;
  for (const auto &[kind, name, configuration] : entries) {
    EXPECT_TRUE(source.provides(kind, name));
    auto bound = source.bind(kind, name, configuration, 16);
    ASSERT_TRUE(bound) << name << ": " << bound.why().text();
    EXPECT_EQ((*bound)->name, name);
    const bool sorts = kind <= module_kind::node_sort;
    EXPECT_EQ((*bound)->columns.empty(), kind > module_kind::predicate);
    EXPECT_EQ((*bound)->key_words > 0, sorts);
    EXPECT_EQ((*bound)->sort != nullptr, sorts);
    EXPECT_EQ((*bound)->predicate != nullptr, kind == module_kind::predicate);
    EXPECT_EQ((*bound)->placement != nullptr, kind == module_kind::placement_rule);
    EXPECT_EQ((*bound)->identity != nullptr, kind == module_kind::identity);
    providers.insert((*bound)->provider);
  }
  EXPECT_EQ(providers.size(), builtin::policies.size());
}

TEST(BuiltinPolicySource, UnknownNameRefusedWithThoseThatExist) {
  builtin_policy_source source;
  const auto bound = source.bind(module_kind::app_sort, "fiffo", "{}", 16);
  ASSERT_FALSE(bound);
  EXPECT_THAT(bound.why().text(), AllOf(HasSubstr("fiffo"), HasSubstr("fifo"), HasSubstr("stateaware")));
  EXPECT_FALSE(source.bind(module_kind::placement_rule, "recovery", "{}", 16));
  EXPECT_FALSE(source.provides(module_kind::app_sort, "fiffo"));
  EXPECT_FALSE(source.provides(module_kind::placement_rule, "fair"));
}

TEST(BuiltinPolicySource, BadConfigurationRefusedWithTheModulesWords) {
  builtin_policy_source source;
  const auto bound = source.bind(module_kind::node_sort, "fair", R"({"resourceweights": 3})", 16);
  ASSERT_FALSE(bound);
  EXPECT_THAT(bound.why().text(), AllOf(HasSubstr("resourceweights"), HasSubstr("tenon.node-fair")));
}

TEST(BuiltinPolicySource, FallbackExistsForTheSortKindsAlone) {
  builtin_policy_source source;
  EXPECT_EQ(source.fallback(module_kind::queue_sort, 64)->name, "fair");
  EXPECT_EQ(source.fallback(module_kind::app_sort, 64)->name, "fifo");
  EXPECT_EQ(source.fallback(module_kind::node_sort, 64)->name, "fair");
  for (const module_kind kind : {module_kind::predicate, module_kind::placement_rule, module_kind::identity})
    EXPECT_EQ(source.fallback(kind, 64), nullptr);
}

TEST(BuiltinPolicySource, PredicatesInTheirOrderEachFresh) {
  builtin_policy_source source({{"node-attributes", "{}"}, {"node-attributes", R"({"keys": ["x"]})"}});
  auto first = source.predicates(16), second = source.predicates(16);
  ASSERT_TRUE(first && second);
  ASSERT_EQ(first->size(), 2U);
  EXPECT_NE((*first)[0]->instance, (*second)[0]->instance);
  EXPECT_NE((*first)[0]->instance, (*first)[1]->instance);
}

TEST(BuiltinPolicySource, PredicateThatIsNotThereRefused) {
  builtin_policy_source source({builtin_policy_source::predicate_use{"same-rack", "{}"}});
  const auto predicates = source.predicates(16);
  ASSERT_FALSE(predicates);
  EXPECT_THAT(predicates.why().text(), HasSubstr("same-rack"));
}

TEST(BuiltinPolicySource, SeveralSourcesLiveSideBySide) {
  auto first = std::make_unique<builtin_policy_source>();
  auto kept = first->bind(module_kind::queue_sort, "fair", "{}", 16);
  builtin_policy_source second;
  first.reset();
  auto other = second.bind(module_kind::queue_sort, "fair", "{}", 16);
  ASSERT_TRUE(kept && other);
  EXPECT_EQ((*kept)->sort, (*other)->sort);
  EXPECT_NE((*kept)->instance, (*other)->instance);
}

}  // namespace
}  // namespace tenon
