// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The example policies, linked in under entries of their own: they order as their first lines say.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tenon/builtin/policy_source.hpp"
#include "tenon/testing/applicants.hpp"
#include "tenon/testing/policy_table.hpp"
#include "tenon/testing/resolved_groups.hpp"

extern "C" {
extern const tenon_module tenon_module_department;
extern const tenon_module tenon_module_group_file;
extern const tenon_module tenon_module_least_attribute;
extern const tenon_module tenon_module_roomiest;
}

namespace tenon {
namespace {

using order = std::vector<uint32_t>;

std::unique_ptr<bound_policy> example(std::string_view name, std::string_view configuration = "{}",
                                      module_kind kind = module_kind::node_sort) {
  static constexpr std::array modules{
      builtin::static_module{"example.department", &tenon_module_department},
      builtin::static_module{"example.group-file", &tenon_module_group_file},
      builtin::static_module{"example.least-attribute", &tenon_module_least_attribute},
      builtin::static_module{"example.roomiest", &tenon_module_roomiest},
  };
  auto bound = bind_static(modules, kind, name, configuration, 16);
  if (!bound) throw std::runtime_error(bound.why().text());
  return std::move(*bound);
}

TEST(Department, FirstGroupThatBeginsSoNamesTheQueue) {
  const auto rule = example("department", "{}", module_kind::placement_rule);
  const auto place = [&](std::vector<std::string> groups) { return testing::place(*rule, {.groups = groups}); };
  EXPECT_EQ(place({"staff", "dept-sales.eu", "dept-it"}), (testing::placed{"sales_dot_eu", false}));
  EXPECT_EQ(place({"staff", "dept"}), testing::declined);
  EXPECT_EQ(place({"dept-"}), testing::declined);
}

TEST(Department, ValueIsTheBeginning) {
  const auto rule = example("department", R"({"value": "ou:"})", module_kind::placement_rule);
  EXPECT_EQ(testing::place(*rule, {.groups = {"dept-it", "ou:sales"}}), (testing::placed{"sales", false}));
}

TEST(GroupFile, GroupsOfAUserInTheOrderOfTheFile) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / ("groups-" + std::to_string(::getpid()));
  const auto source = example("group-file", R"({"path": ")" + file.string() + R"("})", module_kind::identity);
  EXPECT_EQ(testing::resolve(*source, "alice").status, TENON_RETRY);
  EXPECT_EQ(testing::resolve(*source, "alice").text, "cannot find " + file.string());
  std::ofstream(file) << "ops:x:1:alice,bob\nnobody's:x:2:\ndev:x:3:bob,carol,bob\nbroken\n:x:4:alice\n";
  EXPECT_EQ(testing::resolve(*source, "bob").groups, (std::vector<std::string>{"ops", "dev"}));
  EXPECT_EQ(testing::resolve(*source, "alice").groups, std::vector<std::string>{"ops"});
  EXPECT_EQ(testing::resolve(*source, "ops").status, TENON_DECLINED);
  std::ofstream(file.string() + ".new") << "other:x:1:alice\n";
  std::filesystem::rename(file.string() + ".new", file);
  EXPECT_EQ(testing::resolve(*source, "alice").groups, std::vector<std::string>{"other"})
      << "another file took its place";
  std::filesystem::remove(file);
  EXPECT_EQ(testing::resolve(*source, "alice").status, TENON_RETRY);
}

TEST(LeastAttribute, NumbersSmallestFirstOthersLast) {
  testing::policy_table nodes({"memory"});
  nodes.texts("node.attr:cost", {"2.5", std::nullopt, "-1", "cheap", "10"});
  EXPECT_EQ(nodes.order(*example("least-attribute")), (order{2, 0, 4, 1, 3}));
}

TEST(LeastAttribute, ConfiguredReadsThatAttributeAlone) {
  const auto policy = example("least-attribute", R"({"attribute": "watts"})");
  ASSERT_EQ(policy->columns.size(), 1U);
  EXPECT_EQ(policy->columns[0].id, "node.attr:watts");
}

TEST(Roomiest, FreeMemoryMostFirst) {
  testing::policy_table nodes({"vcore", "memory"});
  nodes.resources("node.free", {{{"memory", 5}, {"vcore", 90}}, {{"vcore", 1}}, {{"memory", 70}}, {{"memory", 6}}});
  EXPECT_EQ(nodes.order(*example("roomiest")), (order{2, 3, 0, 1}));
}

TEST(Roomiest, NoTypeNamedMemoryAllEqual) {
  testing::policy_table nodes({"vcore"});
  nodes.resources("node.free", {{{"vcore", 5}}, {{"vcore", 7}}});
  const auto keys = nodes.keys(*example("roomiest")).keys;
  EXPECT_EQ(keys[0], keys[1]);
}

}  // namespace
}  // namespace tenon
