// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Texts nobody would write: whatever comes in, it is accepted or refused with a reason, in time.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "tenon/config/queues.hpp"

namespace tenon::config {
namespace {

constexpr std::string_view seed_text = R"(
priorityclasses: {high: 1000}
partitions:
- name: default
  nodesortpolicy: {type: binpacking, resourceweights: {memory: 1.5}}
  preemption: {enabled: true}
  reservation: {delay: 2s, backfill: false}
  placementrules:
  - name: user
    create: true
    filter: {type: allow, users: ['^a[0-9]+$'], groups: [dev]}
    parent: {name: fixed, value: root.users}
  - {name: tag, value: namespace, create: true}
  queues:
  - name: root
    submitacl: '*'
    limits:
    - {limit: all, users: [bob, '*'], maxapplications: 10, maxresources: {memory: 10Gi}}
    queues:
    - name: users
      parent: true
      childtemplate: {maxapplications: 2, resources: {max: {memory: 1Gi, vcore: 500m}}}
    - name: prod
      maxapplications: 5
      properties: {application.sort.policy: fair, preemption.delay: 10s}
      resources:
        guaranteed: &g {memory: 1G, vcore: 1}
        max: {<<: *g, memory: 2G}
      adminacl: bob dev
)";

constexpr const char *tokens[] = {":",
                                  "- ",
                                  "[",
                                  "]",
                                  "{",
                                  "}",
                                  "&a ",
                                  "*g",
                                  "<<: *g",
                                  "!!str ",
                                  "|\n",
                                  "'",
                                  "\"",
                                  "#",
                                  "%",
                                  "\n",
                                  "\n  ",
                                  "  ",
                                  "\t",
                                  "---\n",
                                  "...\n",
                                  "~",
                                  "null",
                                  "-1",
                                  "1e9",
                                  "99999999999999999999",
                                  "true",
                                  "root",
                                  "*",
                                  "\xFF",
                                  "\xE2\x82\xAC",
                                  "?",
                                  ",",
                                  "queues:",
                                  "name: x",
                                  "\\"};

std::string mutated(std::mt19937 &random) {
  std::string text(seed_text);
  for (unsigned n = 1 + random() % 5; n > 0; --n) {
    const size_t at = random() % (text.size() + 1);
    const size_t length = std::min<size_t>(random() % 24, text.size() - at);
    switch (random() % 5) {
      case 0:
        text.insert(at, tokens[random() % std::size(tokens)]);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(random() % (text.size() + 1), text.substr(at, length));
        break;
      default:
        text.insert(at, 1, static_cast<char>(random()));
        break;
    }
  }
  return text;
}

TEST(QueuesMutation, TheSeedItselfIsAccepted) {
  const auto parsed = parse_queues(seed_text, "q.yaml");
  EXPECT_TRUE(parsed.config) << parsed.refusals.at(0).text();
  EXPECT_THAT(parsed.warnings, testing::IsEmpty());
}

TEST(QueuesMutation, AnyTextIsAcceptedOrRefusedWithAReason) {
  const char *given = std::getenv("TENON_SEED");
  const auto seed = static_cast<unsigned>(given == nullptr ? 1 : std::strtoul(given, nullptr, 10));
  SCOPED_TRACE("TENON_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  int refused = 0;
  constexpr int rounds = 8'000;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = mutated(random);
    const auto parsed = parse_queues(text, "q.yaml");
    ASSERT_EQ(parsed.config.has_value(), parsed.refusals.empty()) << text;
    ASSERT_LE(parsed.refusals.size(), 100U);
    ASSERT_GE(parsed.refused, parsed.refusals.size());
    for (const refusal &r : parsed.refusals) {
      ASSERT_TRUE(r.where.starts_with("q.yaml")) << r.text() << "\n" << text;
      ASSERT_FALSE(r.have.empty()) << text;
      ASSERT_LT(r.text().size(), 4'000U) << r.text();
    }
    // The same text, the same answer.
    if (round % 16 == 0) {
      ASSERT_EQ(parse_queues(text, "q.yaml").config, parsed.config) << text;
    }
    refused += parsed.config ? 0 : 1;
  }
  EXPECT_GT(refused, rounds / 4);
  EXPECT_LT(refused, rounds);
}

TEST(QueuesMutation, LargeTextsAreRead) {
  std::string users = "[a0", queues, unknown, properties, weights;
  for (int i = 1; i < 20'000; ++i) users += ",a" + std::to_string(i);
  users += "]";
  for (int i = 0; i < 10'000; ++i)
    queues += "    - {name: q" + std::to_string(i) + ", limits: [{users: [a" + std::to_string(i) +
              "], maxapplications: 1}]}\n";
  const std::string wide = "partitions:\n- queues:\n  - name: root\n    limits: [{users: " + users +
                           ", maxapplications: 1}]\n    queues:\n" + queues;
  EXPECT_TRUE(parse_queues(wide, "q.yaml").config);
  for (int i = 0; i < 50'000; ++i) {
    unknown += "unknown-key-number-" + std::to_string(i) + ": 1\n";
    properties += "application.sort.number" + std::to_string(i) + ": x, ";
  }
  EXPECT_EQ(parse_queues(unknown, "q.yaml").refused, 50'000U);
  EXPECT_TRUE(parse_queues("partitions: [{queues: [{name: a, properties: {" + properties + "}}]}]", "q.yaml").config);
  std::string many_rules = "partitions:\n- queues:\n  - name: root\n    queues:\n" + queues + "  placementrules:\n";
  for (int i = 0; i < 10'000; ++i) many_rules += "  - {name: fixed, value: root.q" + std::to_string(i) + "}\n";
  EXPECT_TRUE(parse_queues(many_rules, "q.yaml").config);
}

}  // namespace
}  // namespace tenon::config
