// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The runner holds scenarios against the real kernel with its modules: those of the tree pass, those that are
// wrong fail and say where, and no expectation can be altered without a failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <map>

#include "run/run_policies.hpp"
#include "scenario/expectation_fields.hpp"
#include "scenario/player.hpp"
#include "scenario/scenario_reader.hpp"
#include "testing.hpp"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path own_folder = fs::path(TENON_SOURCE_DIR) / "tests/scenarios";
const fs::path failing_folder = fs::path(TENON_SOURCE_DIR) / "tests/cli/failing";
const fs::path sample_folder = fs::path(TENON_TEST_DATA_DIR) / "scenarios";

opened_policies &policies() {
  static opened_policies opened = [] {
    auto result = open_policies({});
    if (!result) throw std::runtime_error(result.why().text());
    return std::move(*result);
  }();
  return opened;
}

std::vector<failure> played(const scenario &what) {
  stage on;
  on.policies = policies().source.get();
  on.known = policies().known;
  return play(what, on);
}

std::vector<scenario> scenarios_in(const fs::path &folder) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<scenario> out;
  for (const fs::path &file : files) {
    config::problems report(file.string());
    auto read = read_scenario(file.string(), *read_file(file), report);
    EXPECT_TRUE(read.has_value()) << file;
    if (read) out.push_back(std::move(*read));
  }
  return out;
}

TEST(ScenarioRun, PassesThoseOfTheTree) {
  const command_result run = run_tenon({"scenario", "run", own_folder.string()});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr(", 0 failed\n"));
}

TEST(ScenarioRun, FailsThoseThatAreWrongAndSaysWhere) {
  const std::map<std::string, std::string> wanted = {
      {"wrong-number", "wrong-number.yaml:21:26: steps[4].expect.apps.job.allocations: want 1, have 2"},
      {"wrong-state", "steps[4].expect.apps.job.state: want Completed, have Running"},
      {"missing-queue", "steps[4].expect.queues.root.other.pending: want {}, have it does not exist"},
      {"unwanted-node", "steps[4].expect.nodes.n1.exists: want false, have true"},
      {"no-alternative-holds", "steps[4].expect.any_of: want one block that holds"},
      {"not-released", "steps[4].expect.rm.released.PREEMPTED_BY_SCHEDULER: want [k], have []"},
      {"wrong-refusal", "steps[4].reload.expect_error: want a refusal with 'the moon is full'"},
      {"accepted-refresh", "steps[4].reload.expect_error: want a refusal with 'nothing', have none"},
      {"missing-partition", "steps[4].expect.cluster.total_nodes: want 0, have no such partition"},
  };
  size_t seen = 0;
  for (const scenario &what : scenarios_in(failing_folder)) {
    const auto failures = played(what);
    ASSERT_FALSE(failures.empty()) << what.name;
    ASSERT_TRUE(wanted.contains(what.name)) << what.name;
    EXPECT_THAT(failures.front().text(what.file), HasSubstr(wanted.at(what.name)));
    ++seen;
  }
  EXPECT_EQ(seen, wanted.size());
}

TEST(ScenarioRun, PassesTheSamples) {
  const command_result run = run_tenon({"scenario", "run", sample_folder.string()});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

// --- altered expectations ---

// Every way to alter one value a little, so that it says something else.
std::vector<value> altered(const value &v) {
  std::vector<value> out;
  struct alter {
    std::vector<value> &out;
    void operator()(std::monostate) const { out.emplace_back(amount_map{{"vcore", 123}}); }
    void operator()(bool b) const { out.emplace_back(!b); }
    void operator()(int64_t n) const { out.emplace_back(n + 1); }
    void operator()(const std::string &s) const { out.emplace_back(s + "~"); }
    void operator()(const amount_map &m) const {
      if (m.empty()) out.emplace_back(amount_map{{"no-such-type", 1}});
      for (const auto &[key, amount] : m) {
        amount_map other = m;
        other[key] = amount + 1;
        out.emplace_back(other);
      }
    }
    void operator()(const text_map &m) const {
      for (const auto &[key, text] : m) {
        text_map other = m;
        other[key] = text + "~";
        out.emplace_back(other);
      }
    }
    void operator()(const text_list &l) const {
      if (l.empty()) out.emplace_back(text_list{"no-such-key"});
      for (size_t i = 0; i < l.size(); ++i) {
        text_list other = l;
        other[i] += "~";
        out.emplace_back(other);
      }
    }
  };
  std::visit(alter{out}, v);
  return out;
}

// Calls `with` for every altered copy of the scenario: one value of one expectation differs in each. Blocks of
// any_of are passed over, since another of them may still hold.
template <class With>
void for_each_altered(const scenario &original, With with) {
  for (size_t s = 0; s < original.steps.size(); ++s) {
    if (!original.steps[s].expect) continue;
    const auto &objects = original.steps[s].expect->objects;
    for (size_t o = 0; o < objects.size(); ++o) {
      for (size_t f = 0; f < objects[o].fields.size(); ++f) {
        for (value &other : altered(objects[o].fields[f].want)) {
          scenario copy = original;
          copy.steps[s].expect->objects[o].fields[f].want = std::move(other);
          const std::string where = original.name + " steps[" + std::to_string(s) + "] " +
                                    std::string(name(objects[o].where)) + "." + objects[o].name + "." +
                                    std::string(rows(objects[o].where)[objects[o].fields[f].row].key);
          with(copy, where);
        }
      }
    }
  }
}

int expect_all_altered_fail(const fs::path &folder) {
  int count = 0;
  for (const scenario &original : scenarios_in(folder)) {
    if (!played(original).empty()) continue;  // alteration says nothing about one that fails anyway
    for_each_altered(original, [&](const scenario &copy, const std::string &where) {
      EXPECT_FALSE(played(copy).empty()) << where << " was altered, and the scenario still passes";
      ++count;
    });
  }
  return count;
}

TEST(ScenarioRun, FailsWhenAnyExpectationOfTheTreeIsAltered) { EXPECT_GT(expect_all_altered_fail(own_folder), 100); }

TEST(ScenarioRun, FailsWhenAnyExpectationOfASampleIsAltered) { EXPECT_GT(expect_all_altered_fail(sample_folder), 100); }

// --- the command's outputs ---

std::string small_scenario(const std::string &last_step) {
  return R"(config: |
  partitions:
    - name: default
      queues:
        - name: root
          submitacl: "*"
          queues: [{name: batch}]
steps:
- add_nodes: [{id: n1, resources: {vcore: 4000}}]
- add_apps: [{id: job, queue: root.batch}]
- add_asks: [{key: k, app: job, resources: {vcore: 1000}, count: 2}]
- schedule: 5
)" + last_step;
}

TEST(ScenarioRun, PrintsJson) {
  const temporary_folder folder;
  const std::string good = folder.file("good.yaml", small_scenario(""));
  const std::string bad = folder.file("bad.yaml", small_scenario("- expect: {rm: {allocations: 9}}\n"));
  const command_result run = run_tenon({"scenario", "run", good, bad, "--json"});
  EXPECT_EQ(run.code, 1);
  const auto json = boost::json::parse(run.out);
  const auto &all = json.at("scenarios").as_array();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].at("name").as_string(), "good");
  EXPECT_TRUE(all[0].at("passed").as_bool());
  EXPECT_EQ(all[0].at("failure").as_string(), "");
  EXPECT_GE(all[0].at("seconds").as_double(), 0.0);
  EXPECT_FALSE(all[1].at("passed").as_bool());
  EXPECT_THAT(std::string(all[1].at("failure").as_string()), HasSubstr("rm.allocations: want 9, have 2"));
}

TEST(ScenarioRun, WritesJUnit) {
  const temporary_folder folder;
  const std::string bad = folder.file("a<b.yaml", small_scenario("- expect: {rm: {allocations: 9}}\n"));
  EXPECT_EQ(run_tenon({"scenario", "run", bad, "--junit", folder.file("junit.xml")}).code, 1);
  const std::string xml = folder.text("junit.xml");
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("name=\"a&lt;b\""));
  EXPECT_THAT(xml, HasSubstr("want 9, have 2"));
}

TEST(ScenarioRun, PlaysTheOthersWhenAFileIsRefused) {
  const temporary_folder folder;
  (void)folder.file("a-broken.yaml", small_scenario("- expct: {}\n"));
  (void)folder.file("b-good.yaml", small_scenario(""));
  (void)folder.file("c-fails.yaml", small_scenario("- expect: {rm: {allocations: 9}}\n"));
  (void)folder.file("d-config.yaml",
                    "config: |\n  partitions: [{name: default, queues: [{name: root, x: 1}]}]\nsteps: []\n");
  (void)folder.file("e-modules.yaml", "deployment: none.yaml\n" + small_scenario(""));
  const command_result run = run_tenon({"scenario", "run", folder.file(""), "--junit", folder.file("junit.xml")});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.out, testing::AllOf(HasSubstr("ok      b-good"), HasSubstr("FAILED  c-fails"),
                                      HasSubstr("1 passed, 1 failed, 3 refused")));
  for (const char *file : {"a-broken.yaml", "d-config.yaml", "none.yaml"}) EXPECT_THAT(run.err, HasSubstr(file));
  EXPECT_THAT(folder.text("junit.xml"),
              testing::AllOf(HasSubstr("tests=\"5\" failures=\"1\" errors=\"3\""), HasSubstr("<error message=")));
  const command_result json = run_tenon({"scenario", "run", folder.file(""), "--json"});
  EXPECT_EQ(json.code, 2);
  const auto report = boost::json::parse(json.out);
  EXPECT_EQ(report.at("scenarios").as_array().size(), 2U);
  EXPECT_EQ(report.at("refused").as_array().size(), 3U);
}

TEST(ScenarioRun, FilterPicksByName) {
  const temporary_folder folder;
  (void)folder.file("one.yaml", small_scenario(""));
  (void)folder.file("two.yaml", small_scenario(""));
  const command_result run = run_tenon({"scenario", "run", folder.file(""), "--filter", "^t"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.out, testing::AllOf(HasSubstr("two"), testing::Not(HasSubstr("one ("))));
}

TEST(ScenarioRun, RecordedJournalGivesTheSameDecisionsAgain) {
  const temporary_folder folder;
  for (const scenario &what : scenarios_in(own_folder)) {
    ASSERT_EQ(
        run_tenon({"scenario", "run", what.file, "--record", folder.file("j"), "--decisions", folder.file("d")}).code,
        0)
        << what.name;
    const bool restarts = fs::exists(folder.file("j.2"));
    if (restarts) {
      fs::remove(folder.file("j.2"));
      continue;  // the decisions are those of two lives
    }
    ASSERT_EQ(run_tenon({"simulate", "--replay", folder.file("j"), "--decisions", folder.file("again"), "--no-progress",
                         "--json"})
                  .code,
              0)
        << what.name;
    EXPECT_EQ(folder.text("d"), folder.text("again")) << what.name;
    EXPECT_FALSE(folder.text("d").empty());
  }
}

TEST(ScenarioRun, FolderTakesTheJournalsOfSeveral) {
  const temporary_folder folder;
  const command_result run = run_tenon(
      {"scenario", "run", own_folder.string(), "--record", folder.file(""), "--decisions", folder.file("decisions")});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(fs::exists(folder.file("nodes-fair.journal")));
  EXPECT_TRUE(fs::exists(folder.file("restart-takes-over-what-runs.journal.2")));
  EXPECT_THAT(folder.text("decisions"), HasSubstr("\n# nodes-fair\n"));
}

TEST(ScenarioRun, UsesTheDeploymentThatAFileNames) {
  const temporary_folder folder;
  (void)folder.file("tenon.yaml", "apiVersion: tenon/v1\nmodules:\n  - id: no.such.module\n");
  const std::string file = folder.file("s.yaml", "deployment: tenon.yaml\n" + small_scenario(""));
  const command_result run = run_tenon({"scenario", "run", file});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("no.such.module"));
}

}  // namespace
}  // namespace tenon::cli
