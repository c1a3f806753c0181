// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/testing/properties.hpp"

namespace tenon {
namespace {

using tags = testing::policy_table::tags;
using verdicts = std::vector<uint8_t>;

std::unique_ptr<bound_policy> attributes(std::string_view configuration = "{}") {
  return testing::bound(module_kind::predicate, "node-attributes", configuration);
}

testing::policy_table table(const tags &ask, const std::vector<tags> &nodes) {
  testing::policy_table out({"vcore"});
  out.maps("ask.tags", {ask}).maps("node.attrs", nodes);
  return out;
}

verdicts judge(const bound_policy &policy, const tags &ask, const std::vector<tags> &nodes) {
  const auto result = table(ask, nodes).filter(policy);
  EXPECT_EQ(result.status, TENON_OK);
  return result.verdicts;
}

TEST(NodeAttributes, NoRequirementEveryNodePasses) {
  EXPECT_EQ(judge(*attributes(), {{"owner", "x"}}, {{}, {{"si/zone", "a"}}}), (verdicts{TENON_PASS, TENON_PASS}));
}

TEST(NodeAttributes, TagOfTheInterfaceMustEqualTheAttribute) {
  const auto result =
      table({{"si/zone", "a"}}, {{{"si/zone", "a"}}, {{"si/zone", "b"}}, {{"si/arch", "a"}}}).filter(*attributes());
  EXPECT_EQ(result.verdicts, (verdicts{TENON_PASS, TENON_FAIL_UNRESOLVABLE, TENON_FAIL_UNRESOLVABLE}));
  EXPECT_EQ(result.reasons, (std::vector<uint16_t>{0, 2, 1}));
  EXPECT_EQ(attributes()->reasons.at(0), "the node lacks an attribute that the ask names");
  EXPECT_EQ(attributes()->reasons.at(1), "an attribute of the node has another value");
}

TEST(NodeAttributes, SeveralTagsAllMustHold) {
  EXPECT_EQ(judge(*attributes(), {{"si/arch", "arm64"}, {"si/zone", "a"}},
                  {{{"si/arch", "arm64"}, {"si/zone", "a"}}, {{"si/arch", "arm64"}, {"si/zone", "b"}}}),
            (verdicts{TENON_PASS, TENON_FAIL_UNRESOLVABLE}));
}

TEST(NodeAttributes, AlternativesAnyOfThem) {
  const std::vector<tags> nodes{{{"si/zone", "a"}}, {{"si/zone", "b"}}, {{"si/zone", "c"}}, {{"si/zone", "a|b"}}};
  EXPECT_EQ(judge(*attributes(), {{"si/zone", "a|c"}}, nodes),
            (verdicts{TENON_PASS, TENON_FAIL_UNRESOLVABLE, TENON_PASS, TENON_FAIL_UNRESOLVABLE}));
}

TEST(NodeAttributes, AlternativesAreWholeValuesNotPrefixes) {
  EXPECT_EQ(judge(*attributes(), {{"si/zone", "ab|cd"}}, {{{"si/zone", "a"}}, {{"si/zone", "d"}}, {{"si/zone", ""}}}),
            (verdicts(3, TENON_FAIL_UNRESOLVABLE)));
}

TEST(NodeAttributes, OtherKeysOnlyWhereConfigured) {
  const tags ask{{"example.com/disk", "ssd"}};
  const std::vector<tags> nodes{{{"example.com/disk", "ssd"}}, {{"example.com/disk", "hdd"}}, {}};
  EXPECT_EQ(judge(*attributes(), ask, nodes), (verdicts(3, TENON_PASS)));
  EXPECT_EQ(judge(*attributes(R"({"keys":["example.com/disk"]})"), ask, nodes),
            (verdicts{TENON_PASS, TENON_FAIL_UNRESOLVABLE, TENON_FAIL_UNRESOLVABLE}));
}

TEST(NodeAttributes, KeysThatDescribeTheAllocationAreNoRequirements) {
  EXPECT_EQ(judge(*attributes(), {{"si/application-id", "a"}, {"si/container-image", "i"}, {"si/container-ports", "1"}},
                  {{}}),
            (verdicts{TENON_PASS}));
}

TEST(NodeAttributes, NextAskForgetsTheFormer) {
  const auto policy = attributes();
  EXPECT_EQ(judge(*policy, {{"si/zone", "a"}}, {{}}), (verdicts{TENON_FAIL_UNRESOLVABLE}));
  EXPECT_EQ(judge(*policy, {}, {{}}), (verdicts{TENON_PASS}));
}

TEST(NodeAttributes, SignatureEqualExactlyForEqualRequirements) {
  const auto sign = [policy = attributes()](const tags &ask) { return table(ask, {{}}).signature(*policy); };
  const auto zone_a = sign({{"si/zone", "a"}});
  EXPECT_EQ(zone_a, sign({{"si/zone", "a"}, {"owner", "x"}, {"si/container-image", "i"}}));
  EXPECT_NE(zone_a, sign({{"si/zone", "b"}}));
  EXPECT_NE(zone_a, sign({{"si/arch", "a"}}));
  EXPECT_NE(zone_a, sign({{"si/arch", "a"}, {"si/zone", "a"}}));
  EXPECT_NE(zone_a, sign({}));
  EXPECT_NE(sign({{"si/z", "ab"}}), sign({{"si/za", "b"}}));
}

TEST(NodeAttributes, BatchSameVerdictsAsOneByOne) {
  const std::vector<tags> nodes{{{"si/zone", "a"}}, {{"si/zone", "b"}}, {}, {{"si/zone", "c"}, {"x", "y"}}};
  const auto asked = table({{"si/zone", "c|a"}}, nodes);
  const auto policy = attributes();
  const auto whole = asked.filter(*policy);
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(asked.filter(*policy, std::vector<uint32_t>{i}).verdicts[0], whole.verdicts[i]);
    EXPECT_EQ(asked.filter(*policy, std::vector<uint32_t>{i}).reasons[0], whole.reasons[i]);
  }
}

TEST(NodeAttributes, KeysOfAnotherKindRefused) {
  EXPECT_THROW(attributes(R"({"keys":"si/zone"})"), std::runtime_error);
  EXPECT_THROW(attributes(R"({"keys":[1]})"), std::runtime_error);
}

}  // namespace
}  // namespace tenon
