// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whatever is wrong with what a user gives: exit code 2, the place, what was wanted and what to do, and
// nothing done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "testing.hpp"

namespace tenon::cli {
namespace {

using testing::HasSubstr;

const std::string good_scenario = "config: |\n  partitions: [{name: default, queues: [{name: root}]}]\nsteps: []\n";
const std::string nodes_header = "sn,cpu_milli,memory_mib,gpu,model\n";
const std::string pods_header =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n";
const std::string good_nodes = nodes_header + "n1,32000,262144,2,T4\n";
const std::string good_pods = pods_header + "p1,1000,1024,1,1000,,LS,Running,0,10,0\n";

// Arguments; "@name" stands for the file of that name in the test's folder, with the text given for it.
struct bad_input {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<std::string> says;  // parts of what is printed on the error stream; "@name" as above
};

void PrintTo(const bad_input &input, std::ostream *out) { *out << input.name; }

std::string placed(std::string text, const temporary_folder &folder) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
    size_t end = at + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) ++end;
    const std::string file = folder.file(text.substr(at + 1, end - at - 1));
    text.replace(at, end - at, file);
    at += file.size();
  }
  return text;
}

class BadInput : public testing::TestWithParam<bad_input> {};

TEST_P(BadInput, IsRefusedAtItsPlace) {
  const temporary_folder folder;
  for (const auto &[name, text] : GetParam().files) (void)folder.file(name, text);
  std::vector<std::string> arguments;
  for (const std::string &argument : GetParam().arguments) arguments.push_back(placed(argument, folder));
  const command_result run = run_tenon(arguments);
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("  have: "));
  EXPECT_THAT(run.err, HasSubstr("  fix:  "));
  for (const std::string &part : GetParam().says) EXPECT_THAT(run.err, HasSubstr(placed(part, folder)));
}

bad_input scenario_case(std::string name, std::string text, std::vector<std::string> says) {
  return {std::move(name), {"scenario", "run", "@s.yaml"}, {{"s.yaml", std::move(text)}}, std::move(says)};
}

bad_input nodes_case(std::string name, std::string text, std::vector<std::string> says) {
  return {std::move(name),
          {"simulate", "--no-progress", "--trace", "openb:@nodes.csv,@pods.csv"},
          {{"nodes.csv", std::move(text)}, {"pods.csv", good_pods}},
          std::move(says)};
}

bad_input pods_case(std::string name, const std::string &line, std::vector<std::string> says) {
  return {std::move(name),
          {"simulate", "--no-progress", "--trace", "openb:@nodes.csv,@pods.csv"},
          {{"nodes.csv", good_nodes}, {"pods.csv", good_pods + line}},
          std::move(says)};
}

std::string name_of(const testing::TestParamInfo<bad_input> &tested) { return tested.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Commands, BadInput,
    testing::Values(
        bad_input{"NoCommand", {}, {}, {"tenon --help"}}, bad_input{"UnknownCommand", {"simulat"}, {}, {"tenon"}},
        bad_input{"UnknownOption", {"scenario", "run", "x", "--jsn"}, {}, {"--jsn", "scenario run --help"}},
        bad_input{"NoPath", {"scenario", "run"}, {}, {"PATH"}},
        bad_input{"UnknownMode", {"simulate", "--mode", "empty"}, {}, {"--mode"}},
        bad_input{"NumberOutOfRange", {"simulate", "--nodes", "0"}, {}, {"--nodes"}},
        bad_input{"SeedBelowZero", {"simulate", "--seed", "-1"}, {}, {"--seed"}},
        bad_input{"FolderThatIsNotThere",
                  {"simulate", "--no-progress", "--module-path", "@none"},
                  {},
                  {"@none", "a folder of modules"}},
        bad_input{"QueuesAsADeployment",
                  {"simulate", "--no-progress", "--deployment", "@q.yaml"},
                  {{"q.yaml", "partitions: []\n"}},
                  {"@q.yaml:1:1", "it is a key of queues (queues.yaml, which --config of"}},
        bad_input{"ADeploymentAsQueues",
                  {"simulate", "--no-progress", "--config", "@q.yaml"},
                  {{"q.yaml", "policy_groups: {}\n"}},
                  {"@q.yaml:1:1", "it is a key of a deployment (tenon.yaml)"}},
        bad_input{"TextForASwitch",
                  {"simulate", "--no-progress", "--config", "@q.yaml"},
                  {{"q.yaml", "partitions:\n- name: p\n  preemption: {enabled: perhaps}\n  queues: [{name: a}]\n"}},
                  {"@q.yaml:3:25", "fix:  write true or false"}},
        bad_input{"TwoLoads", {"simulate", "--replay", "x", "--trace", "y"}, {}, {"--replay"}}),
    name_of);

// Whatever would say how a load is made or played is in a journal already.
std::vector<bad_input> beside_a_journal() {
  std::vector<bad_input> out;
  for (const std::vector<std::string> &option : std::vector<std::vector<std::string>>{{"--config", "@q.yaml"},
                                                                                      {"--node-sort", "binpacking"},
                                                                                      {"--queue", "root.a"},
                                                                                      {"--mode", "fill"},
                                                                                      {"--gangs", "hard"},
                                                                                      {"--placeholder-timeout-s", "9"},
                                                                                      {"--gpu-model", "sum"},
                                                                                      {"--in-order"},
                                                                                      {"--shuffle", "7"},
                                                                                      {"--seeds", "1..2"},
                                                                                      {"--inflate", "1.3"},
                                                                                      {"--gpu-nodes-only"},
                                                                                      {"--name-tag", "name"},
                                                                                      {"--generate"},
                                                                                      {"--trace", "swf:x"},
                                                                                      {"--seed", "7"},
                                                                                      {"--nodes", "3"},
                                                                                      {"--pods", "3"},
                                                                                      {"--size", "2"}}) {
    std::string name = "BesideAJournal";
    for (const char c : option.front()) name += c == '-' ? '_' : c;
    std::vector<std::string> arguments{"simulate", "--replay", "@j"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    out.push_back({name,
                   arguments,
                   {},
                   {"tenon: " + option.front() + "\n  want: an option that applies to a journal", "tenon diff"}});
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(Journals, BadInput, testing::ValuesIn(beside_a_journal()), name_of);

INSTANTIATE_TEST_SUITE_P(
    Scenarios, BadInput,
    testing::Values(
        bad_input{"MissingFile", {"scenario", "run", "@none.yaml"}, {}, {"@none.yaml"}},
        bad_input{"FolderWithoutScenarios", {"scenario", "run", "@"}, {{"x.txt", ""}}, {"no *.yaml"}},
        bad_input{"BadExpression",
                  {"scenario", "run", "@s.yaml", "--filter", "["},
                  {{"s.yaml", good_scenario}},
                  {"--filter"}},
        bad_input{"NothingMatches",
                  {"scenario", "run", "@s.yaml", "--filter", "zz"},
                  {{"s.yaml", good_scenario}},
                  {"--filter"}},
        bad_input{"OneJournalForTwo",
                  {"scenario", "run", "@s.yaml", "@t.yaml", "--record", "@journal"},
                  {{"s.yaml", good_scenario}, {"t.yaml", good_scenario}},
                  {"--record", "2 scenarios"}},
        bad_input{"DecisionsCannotBeWritten",
                  {"scenario", "run", "@s.yaml", "--decisions", "@none/d"},
                  {{"s.yaml", good_scenario}},
                  {"@none/d"}},
        bad_input{"MissingDeployment",
                  {"scenario", "run", "@s.yaml", "--deployment", "@none.yaml"},
                  {{"s.yaml", good_scenario}},
                  {"@none.yaml"}},
        scenario_case("NotYaml", "steps: [\n", {"@s.yaml:2:1"}),
        scenario_case("UnknownKey", good_scenario + "stepz: []\n", {"@s.yaml:4:1", "stepz", "did you mean 'steps'"}),
        scenario_case("WrongType", "config: x\nsteps: many\n", {"@s.yaml:2:8", "many"}),
        scenario_case("UnknownExpectation", "config: x\nsteps:\n- expect: {aps: {}}\n", {"@s.yaml:3:12", "'apps'"})),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Loads, BadInput,
    testing::Values(
        bad_input{"UnknownTrace", {"simulate", "--trace", "closed:a,b"}, {}, {"--trace", "openb:NODES.csv,PODS.csv"}},
        bad_input{"TraceWithOneFileOfTwo", {"simulate", "--trace", "openb:a"}, {}, {"--trace", "'openb:a'"}},
        bad_input{"TraceWithoutFile", {"simulate", "--trace", "swf:"}, {}, {"--trace", "swf:FILE"}},
        bad_input{"MissingTraceFile", {"simulate", "--trace", "openb:@none.csv,@none.csv"}, {}, {"@none.csv"}},
        nodes_case("EmptyFile", "", {"@nodes.csv:1:1"}),
        nodes_case("NoNodes", nodes_header, {"@nodes.csv", "at least one node"}),
        nodes_case("MissingColumn", "sn,cpu_milli,gpu,model\nn1,1,1,T4\n", {"@nodes.csv:1:1: column memory_mib"}),
        nodes_case("FewFields", nodes_header + "n1,1,1\n", {"@nodes.csv:2:7", "5 fields", "3 fields"}),
        nodes_case("ManyFields", nodes_header + "n1,1,1,1,T4,x\n", {"@nodes.csv:2:13", "6 fields"}),
        nodes_case("NotANumber", good_nodes + "n2,32O00,262144,2,T4\n",
                   {"@nodes.csv:3:4: column cpu_milli", "'32O00'"}),
        nodes_case("EmptyNumber", good_nodes + "n2,,262144,2,T4\n", {"@nodes.csv:3:4: column cpu_milli"}),
        nodes_case("Negative", good_nodes + "n2,1,-1,2,T4\n", {"@nodes.csv:3:6: column memory_mib", "'-1'"}),
        nodes_case("TooLarge", good_nodes + "n2,1,9999999999999999,2,T4\n", {"@nodes.csv:3:6: column memory_mib"}),
        nodes_case("NodeTwice", good_nodes + "n1,1,1,1,T4\n", {"@nodes.csv:3:1: column sn", "'n1'"}),
        nodes_case("NodeWithoutName", good_nodes + ",1,1,1,T4\n", {"@nodes.csv:3:1: column sn"}),
        pods_case("PodTwice", "p1,1,1,0,0,,LS,Running,0,1,0\n", {"@pods.csv:3:1: column name"}),
        pods_case("ManySharedGpus", "p2,1,1,2,500,,LS,Running,0,1,0\n", {"@pods.csv:3:10: column gpu_milli"}),
        pods_case("EndsBeforeItStarts", "p2,1,1,0,0,,LS,Running,5,1,0\n", {"@pods.csv:3:26: column deletion_time"}),
        pods_case("ClassIsNoQueue", "p2,1,1,0,0,,L S,Running,0,1,0\n", {"@pods.csv:3:13: column qos"}),
        bad_input{"MissingConfig", {"simulate", "--no-progress", "--config", "@none.yaml"}, {}, {"@none.yaml"}},
        bad_input{"BadConfig",
                  {"simulate", "--no-progress", "--config", "@q.yaml"},
                  {{"q.yaml", "partitions:\n  - name: default\n    queuez: []\n"}},
                  {"@q.yaml:3:5"}},
        bad_input{"UnknownNodeSort", {"simulate", "--no-progress", "--node-sort", "best"}, {}, {"--node-sort", "best"}},
        bad_input{"MissingJournal", {"simulate", "--no-progress", "--replay", "@none"}, {}, {"@none"}},
        bad_input{"NotAJournal", {"simulate", "--no-progress", "--replay", "@j"}, {{"j", "hello"}}, {"@j"}},
        bad_input{"RecordCannotBeWritten", {"simulate", "--no-progress", "--record", "@none/j"}, {}, {"@none/j"}},
        bad_input{"RecordIsThereAlready",
                  {"simulate", "--no-progress", "--nodes", "1", "--pods", "1", "--record", "@j"},
                  {{"j", "hello"}},
                  {"@j", "one with 5 bytes", "move it away"}},
        bad_input{"ReportCannotBeWritten", {"simulate", "--no-progress", "--report", "@none/r"}, {}, {"@none/r"}}),
    name_of);

bad_input swf_case(std::string name, std::string text, std::vector<std::string> says) {
  return {std::move(name),
          {"simulate", "--no-progress", "--trace", "swf:@t.swf"},
          {{"t.swf", std::move(text)}},
          std::move(says)};
}

bad_input philly_case(std::string name, const std::string &jobs, std::vector<std::string> says,
                      const std::string &machines = "m1,V100,96,512,8\n") {
  return {std::move(name),
          {"simulate", "--no-progress", "--trace", "philly:@jobs.csv,@machines.csv"},
          {{"jobs.csv", "timestamp,duration,num_gpus,gpu_time,cluster\n" + jobs},
           {"machines.csv", "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\n" + machines}},
          std::move(says)};
}

INSTANTIATE_TEST_SUITE_P(
    Philly, BadInput,
    testing::Values(
        philly_case("NoSuchDay", "2017-02-29 07:01:55,1.0,1,1,a\n",
                    {"@jobs.csv:2:1: column timestamp", "2017-10-09 07:01:55", "'2017-02-29 07:01:55'"}),
        philly_case("NoSuchTime", "2017-02-28 24:00:00,1.0,1,1,a\n", {"@jobs.csv:2:1: column timestamp"}),
        philly_case("OtherTime", "2017-02-28T07:01:55,1.0,1,1,a\n", {"@jobs.csv:2:1: column timestamp"}),
        philly_case("NoGpu", "2017-02-28 07:01:55,1.0,0,1,a\n",
                    {"@jobs.csv:2:25: column num_gpus", "from 1 to", "'0'"}),
        philly_case("Forever", "2017-02-28 07:01:55,inf,1,1,a\n", {"@jobs.csv:2:21: column duration", "'inf'"}),
        philly_case("ClusterIsNoQueue", "2017-02-28 07:01:55, 1.0 , 1 ,1, a.b\n",
                    {"@jobs.csv:2:34: column cluster", "'a.b'"}),
        philly_case("MachineOfNoNumber", "", {"@machines.csv:2:9: column cap_cpu", "'many'"}, "m1,V100,many,512,8\n"),
        philly_case("NoMachine", "", {"@machines.csv", "at least one node"}, "")),
    name_of);

const std::string swf_header = "; MaxNodes: 4\n; MaxProcs: 8\n";

INSTANTIATE_TEST_SUITE_P(
    Swf, BadInput,
    testing::Values(
        swf_case("NoProcessors", "; Version: 2.2\n1 0 0 5 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n",
                 {"@t.swf:2:1", "MaxProcs", "MACHINES.csv"}),
        swf_case("OnlyAHeader", "; Version: 2.2\n", {"@t.swf:2:1", "MaxProcs"}),
        swf_case("Empty", "", {"@t.swf:1:1", "MaxProcs"}),
        swf_case("FewFields", swf_header + "1 0 0 5 1 -1\n", {"@t.swf:3:13", "18 fields", "6 fields"}),
        swf_case("NotANumber", swf_header + "\n  1  0  0  5m 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n",
                 {"@t.swf:4:12: run time", "'5m'"}),
        swf_case("NoSubmitTime", swf_header + "1 -1 0 5 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n",
                 {"@t.swf:3:3: submit time", "'-1'"}),
        swf_case("UnknownStatus", swf_header + "1 0 0 5 1 -1 -1 1 -1 -1 9 1 1 -1 1 -1 -1 -1\n",
                 {"@t.swf:3:25: status", "'9'"}),
        swf_case("JobTwice",
                 swf_header +
                     "1 0 0 5 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n1 0 0 5 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n",
                 {"@t.swf:4:1: job number", "'1'"}),
        swf_case("TooManyWorkers",
                 "; MaxProcs: 30000000\n; MaxNodes: 10\n1 0 0 5 1 -1 -1 30000000 -1 -1 1 1 1 -1 1 -1 -1 -1\n",
                 {"@t.swf:3:17: requested processors", "at most 20000000 workers"}),
        swf_case("TooManyNodes", "; MaxProcs: 30000000\n1 0 0 5 1 -1 -1 1 -1 -1 1 1 1 -1 1 -1 -1 -1\n",
                 {"@t.swf:2:1", "at most 1000000 nodes"})),
    name_of);

TEST(BadJournal, IsNotPlayedInPart) {
  const temporary_folder folder;
  ASSERT_EQ(run_tenon({"simulate", "--no-progress", "--nodes", "3", "--pods", "9", "--record", folder.file("j")}).code,
            0);
  const std::string whole = folder.text("j");
  const std::string cut = folder.file("cut", whole.substr(0, whole.size() - 3));
  const command_result run =
      run_tenon({"simulate", "--no-progress", "--replay", cut, "--decisions", folder.file("decisions")});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("entry"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("decisions")));
}

TEST(ConfigCommands, CheckReadsTheStandardInputAndKnowsTheModules) {
  const std::string queues =
      "partitions:\n  - name: default\n    nodesortpolicy: {type: binpacking}\n    queues: [{name: a}]\n";
  EXPECT_EQ(run_tenon({"config", "check", "-"}, queues).code, 0);
  const command_result refused = run_tenon({"config", "check", "-"}, "partitions:\n  - nam: default\n");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("nam"));
}

TEST(ConfigCommands, SchemaIsJson) {
  for (const char *format : {"queues", "deployment", "module"}) {
    const command_result run = run_tenon({"config", "schema", format});
    EXPECT_EQ(run.code, 0);
    EXPECT_THAT(run.out, HasSubstr("\"$schema\""));
  }
  EXPECT_EQ(run_tenon({"config", "schema", "soup"}).code, 2);
}

TEST(Help, EndsWithCodeZero) {
  for (const std::vector<std::string> &arguments : {std::vector<std::string>{"--help"},
                                                    {"scenario", "run", "--help"},
                                                    {"simulate", "--help"},
                                                    {"config", "schema", "--help"}}) {
    const command_result run = run_tenon(arguments);
    EXPECT_EQ(run.code, 0);
    EXPECT_THAT(run.out, HasSubstr("Examples:"));
    EXPECT_THAT(run.out, HasSubstr("Exit codes: 0"));
    EXPECT_EQ(run.err, "");
  }
  EXPECT_THAT(run_tenon({"--version"}).out, testing::MatchesRegex("tenon [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace tenon::cli
