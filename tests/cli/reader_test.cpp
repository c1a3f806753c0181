// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Scenario files are read strictly: everything of the format is taken, anything else is refused at its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <regex>
#include <string>

#include "run/output_file.hpp"
#include "scenario/expectation_fields.hpp"
#include "scenario/scenario_reader.hpp"

namespace tenon::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

scenario read(const std::string &text) {
  config::problems report("s.yaml");
  auto read = read_scenario("s.yaml", text, report);
  for (const refusal &why : report.refusals()) ADD_FAILURE() << why.text();
  return read ? *read : scenario{};
}

TEST(Reader, TakesAnRmThatIsHeld) {
  const scenario s = read("config: partitions\nrecovery_hold: true\nsteps:\n- schedule: 1\n- recovery_done: true\n");
  EXPECT_TRUE(s.recovery_hold);
  ASSERT_EQ(s.steps.size(), 2U);
  EXPECT_FALSE(s.steps[0].recovery_done);
  EXPECT_TRUE(s.steps[1].recovery_done);
}

std::string with_steps(const std::string &steps) { return "config: partitions\nsteps:\n" + steps; }

TEST(Reader, TakesEveryKeyOfAStep) {
  const scenario s = read(with_steps(R"(
- restart: true
  predicate_failures: {n1: ["*", a]}
  reload: {config: text, expect_error: part}
  add_nodes:
  - {id: n1, resources: {vcore: 10}, attributes: {zone: a}, schedulable: false, existing_from_rm: true,
     existing: [{key: k, app: a, resources: {vcore: 1}, placeholder: true, task_group: g, required_node: n1, priority: 3}]}
  update_nodes: [{id: n1, resources: {vcore: 20}}, {id: n1, occupied: {vcore: 1}}]
  drain_nodes: [n1]
  undrain_nodes: [n1]
  remove_nodes: [n1]
  add_apps:
  - {id: a, queue: root.q, user: u, groups: [g1, g2], tags: {t: v},
     gang: {placeholder_ask: {vcore: 5}, style: Hard, timeout_s: 60}}
  remove_apps: [a]
  add_asks:
  - {key: k, app: a, resources: {vcore: 1}, count: 3, priority: -4, placeholder: true, task_group: g, required_node: n1,
     allow_preempt_self: false, allow_preempt_other: true, originator: true, tags: {x: y}, max_allocations: 7, timeout_s: 2.5}
  release_asks: [{app: a, key: k}]
  release_allocs: [{app: a, key: k, count: 2, type: TIMEOUT, unknown: true}]
  confirm: {types: [PREEMPTED_BY_SCHEDULER], limit: 1}
  schedule: quiescent
  advance: 1.5
  partition: gpu
  note: remark
)"));
  ASSERT_EQ(s.steps.size(), 1U);
  const scenario_step &step = s.steps.front();
  EXPECT_TRUE(step.restart);
  EXPECT_THAT(step.predicate_failures->at("n1"), ElementsAre("*", "a"));
  EXPECT_EQ(step.reload->expect_error, "part");
  ASSERT_EQ(step.add_nodes.size(), 1U);
  EXPECT_EQ(step.add_nodes[0].partition, "gpu");
  EXPECT_FALSE(step.add_nodes[0].schedulable);
  EXPECT_TRUE(step.add_nodes[0].existing_from_rm);
  ASSERT_EQ(step.add_nodes[0].existing.size(), 1U);
  EXPECT_EQ(step.add_nodes[0].existing[0].priority, 3);
  EXPECT_TRUE(step.add_nodes[0].existing[0].placeholder);
  EXPECT_EQ(step.update_nodes[0].resources, (amount_map{{"vcore", 20}}));
  EXPECT_FALSE(step.update_nodes[1].resources.has_value());
  EXPECT_EQ(step.update_nodes[1].occupied, (amount_map{{"vcore", 1}}));
  EXPECT_EQ(step.add_apps[0].timeout_ms, 60'000);
  EXPECT_TRUE(step.add_apps[0].hard_gang);
  EXPECT_EQ(step.add_asks[0].count, 3U);
  EXPECT_EQ(step.add_asks[0].max_allocations, 7);
  EXPECT_EQ(step.add_asks[0].timeout_ms, 2'500);
  EXPECT_EQ(step.add_asks[0].priority, -4);
  EXPECT_FALSE(step.add_asks[0].allow_preempt_self);
  EXPECT_TRUE(step.add_asks[0].allow_preempt_other);
  EXPECT_EQ(step.release_allocs[0].why, termination::timeout);
  EXPECT_TRUE(step.release_allocs[0].unknown);
  EXPECT_EQ(step.confirm->limit, 1U);
  EXPECT_FALSE(step.schedule->cycles.has_value());
  EXPECT_EQ(step.advance_ms, 1500);
}

TEST(Reader, GivesTheDocumentedDefaults) {
  const scenario s =
      read(with_steps("- {add_apps: [{id: a}], add_asks: [{key: k, app: a, resources: {}}], schedule: 3}"));
  const scenario_step &step = s.steps.front();
  EXPECT_EQ(s.name, "s");
  EXPECT_FALSE(s.recovery_hold);
  EXPECT_EQ(step.add_apps[0].user, "testuser");
  EXPECT_THAT(step.add_apps[0].groups, ElementsAre("testgroup"));
  EXPECT_EQ(step.add_apps[0].partition, "default");
  EXPECT_FALSE(step.add_asks[0].count.has_value());
  EXPECT_TRUE(step.add_asks[0].allow_preempt_self);
  EXPECT_FALSE(step.add_asks[0].allow_preempt_other);
  EXPECT_EQ(step.schedule->cycles, 3U);
}

// Every key of every section, with a value of its rule.
std::string sample_of(section where, const field_row &row) {
  if (row.subs == sub_keys::terminations) return "{TIMEOUT: [k], STOPPED_BY_RM: 2}";
  if (row.subs == sub_keys::asks) return "{k: words, app/k: words}";
  if (row.key == "state") return where == section::apps ? "Running" : "Active";
  if (row.key == "status") return "Active";
  switch (row.rule) {
    case value_rule::flag:
      return "true";
    case value_rule::number:
      return "3";
    case value_rule::word:
    case value_rule::part:
      return "word";
    case value_rule::amounts:
      return "null";
    case value_rule::counts:
      return "{x: 1}";
    case value_rule::tallies:
      return "{g: {count: 1, replaced: 0, timedout: 0}}";
    case value_rule::texts:
    case value_rule::places:
    case value_rule::parts:
    case value_rule::reported:
      return "{x: y}";
    default:
      return "[a, b]";
  }
}

TEST(Reader, RefusesAStateThatThereIsNot) {
  for (const char *expected :
       {"apps: {x: {state: Runing}}", "queues: {root: {status: Actve}}", "cluster: {state: Stoped}"}) {
    config::problems report("s.yaml");
    EXPECT_FALSE(read_scenario("s.yaml", with_steps("- expect: {" + std::string(expected) + "}"), report));
    ASSERT_EQ(report.refusals().size(), 1U) << expected;
    EXPECT_THAT(report.refusals().front().fix, testing::StartsWith("did you mean '")) << expected;
  }
}

class ReaderSection : public testing::TestWithParam<section> {};

TEST_P(ReaderSection, TakesEveryKeyOfItsTable) {
  const section where = GetParam();
  for (const field_row &row : rows(where)) {
    const std::string fields = "{" + std::string(row.key) + ": " + sample_of(where, row) + "}";
    std::string value;
    switch (where) {
      case section::partitions:
      case section::explain:
        value = sample_of(where, row);
        break;
      case section::cluster:
      case section::rm:
        value = fields;
        break;
      case section::users:
      case section::groups:
        value = "{u: {root: " + fields + "}}";
        break;
      default:
        value = "{x: " + fields + "}";
    }
    const scenario s = read(with_steps("- expect: {" + std::string(name(where)) + ": " + value + "}"));
    ASSERT_EQ(s.steps.size(), 1U) << value;
    ASSERT_EQ(s.steps[0].expect->objects.size(), 1U) << value;
    EXPECT_EQ(s.steps[0].expect->objects[0].fields.size(), row.subs == sub_keys::none ? 1U : 2U) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReaderSection,
                         testing::Values(section::queues, section::nodes, section::apps, section::users,
                                         section::groups, section::cluster, section::partitions, section::rm,
                                         section::explain),
                         [](const auto &tested) { return std::string(name(tested.param)); });

struct bad_scenario {
  std::string text;
  std::string where;
  std::string have;
};

void PrintTo(const bad_scenario &input, std::ostream *out) { *out << input.text; }

class ReaderRefuses : public testing::TestWithParam<bad_scenario> {};

TEST_P(ReaderRefuses, AtItsPlace) {
  config::problems report("s.yaml");
  EXPECT_FALSE(read_scenario("s.yaml", GetParam().text, report).has_value());
  ASSERT_FALSE(report.refusals().empty());
  EXPECT_EQ(report.refusals()[0].where, GetParam().where);
  EXPECT_THAT(report.refusals()[0].have, HasSubstr(GetParam().have));
}

INSTANTIATE_TEST_SUITE_P(
    Table, ReaderRefuses,
    testing::Values(
        bad_scenario{"config: x\nsteps:\n- {schedul: 3}\n", "s.yaml:3:4", "schedul"},
        bad_scenario{"config: x\nsteps:\n- {schedule: often}\n", "s.yaml:3:14", "schedule"},
        bad_scenario{"config: x\nsteps:\n- {schedule: -1}\n", "s.yaml:3:14", "schedule"},
        bad_scenario{"config: x\nsteps: 5\n", "s.yaml:2:8", "the number '5'"},
        bad_scenario{"steps: []\n", "s.yaml:1:1", "config"},
        bad_scenario{"config: x\nconfig: y\nsteps: []\n", "s.yaml:2:1", "config"},
        bad_scenario{"config: x\nsteps:\n- add_nodes:\n  - {id: n, resources: {vcore: 1Gi}}\n", "s.yaml:4:32", "vcore"},
        bad_scenario{"config: x\nsteps:\n- add_nodes:\n  - {id: n, resources: {vcore: '1'}}\n", "s.yaml:4:32", "vcore"},
        bad_scenario{"config: x\nsteps:\n- add_nodes:\n  - {resources: {vcore: 1}}\n", "s.yaml:4:5", "id"},
        bad_scenario{"config: x\nsteps:\n- add_asks:\n  - {key: k, app: a, resources: {}, colour: red}\n",
                     "s.yaml:4:37", "colour"},
        bad_scenario{"config: x\nsteps:\n- release_allocs: [{app: a, type: TIMEOUTS}]\n", "s.yaml:3:35", "TIMEOUTS"},
        bad_scenario{"config: x\nsteps:\n- {expect: {queue: {}}}\n", "s.yaml:3:13", "queue"},
        bad_scenario{"config: x\nsteps:\n- {expect: {queues: {root: {alocated: {}}}}}\n", "s.yaml:3:29", "alocated"},
        bad_scenario{"config: x\nsteps:\n- {expect: {apps: {a: {allocations: many}}}}\n", "s.yaml:3:37", "allocations"},
        bad_scenario{"config: x\nsteps:\n- {expect: {apps: {a: {keys: {k: x}}}}}\n", "s.yaml:3:34", "k"},
        bad_scenario{"config: x\nsteps:\n- {expect: {rm: {released: {TIME: 1}}}}\n", "s.yaml:3:29", "TIME"},
        bad_scenario{"config: x\nsteps:\n- {expect: {nodes: {n: {schedulable: 1}}}}\n", "s.yaml:3:38", "schedulable"},
        bad_scenario{"config: x\nsteps:\n- {expect: {any_of: {}}}\n", "s.yaml:3:21", "any_of"},
        bad_scenario{"config: x\nsteps:\n- {advance: -3}\n", "s.yaml:3:13", "advance"},
        bad_scenario{"config: x\nsteps:\n- {recovery_done: true}\n", "s.yaml:3:19", "not held"},
        bad_scenario{"config: x\nrecovery_hold: maybe\nsteps: []\n", "s.yaml:2:16", "'maybe'"},
        bad_scenario{"config: [\n", "s.yaml:2:1", ""}));

void collect_keys(const config::object_spec &spec, std::vector<std::string> &into) {
  for (const config::key_spec &key : spec.keys) {
    into.emplace_back(key.key);
    if (key.object != nullptr) collect_keys(*key.object, into);
  }
}

TEST(Reader, DocumentationNamesEveryKey) {
  std::vector<std::string> keys;
  collect_keys(scenario_shape(), keys);
  for (const section where : {section::queues, section::nodes, section::apps, section::users, section::groups,
                              section::cluster, section::partitions, section::rm, section::explain}) {
    keys.emplace_back(name(where));
    for (const field_row &row : rows(where)) keys.emplace_back(row.key);
  }
  const auto page = read_file(std::filesystem::path(TENON_SOURCE_DIR) / "docs/scenarios.md");
  ASSERT_TRUE(static_cast<bool>(page));
  for (const std::string &key : keys) {
    EXPECT_TRUE(std::regex_search(*page, std::regex("[`{ ]" + key + "[`,:}]"))) << key;
  }
}

TEST(Reader, TakesTheSampleScenarios) {
  const std::filesystem::path folder = std::filesystem::path(TENON_TEST_DATA_DIR) / "scenarios";
  int read = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string file = entry.path().string();
    config::problems report(file);
    EXPECT_TRUE(read_scenario(file, *read_file(file), report).has_value());
    for (const refusal &why : report.refusals()) ADD_FAILURE() << why.text();
    ++read;
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace tenon::cli
