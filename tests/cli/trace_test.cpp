// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Traces of jobs: how their lines become nodes, queues and gangs, and how gangs are played.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <boost/json.hpp>
#include <sstream>

#include "simulated.hpp"
#include "testing.hpp"
#include "trace/machines.hpp"
#include "trace/philly.hpp"
#include "trace/swf.hpp"
#include "trace/trace_file.hpp"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

double seconds(const json::value &out, const char *queue, const char *figure) {
  return out.at("waiting_seconds").at(queue).at(figure).to_number<double>();
}

load swf(const std::string &text, const trace_text &machines = {}) {
  auto read = read_swf({"t.swf", text}, machines);
  EXPECT_TRUE(static_cast<bool>(read)) << (read ? "" : read.why().text());
  EXPECT_TRUE(is_consistent(*read));
  return std::move(*read);
}

// A line with the fields that matter.
std::string job(int number, int submit, int run, int processors, int queue = 1, int status = 1) {
  return std::to_string(number) + " " + std::to_string(submit) + " 0 " + std::to_string(run) + " " +
         std::to_string(processors) + " -1 -1 -1 -1 -1 " + std::to_string(status) + " 3 1 -1 " + std::to_string(queue) +
         " -1 -1 -1\n";
}

TEST(Swf, HeaderGivesNodesThatShareTheProcessors) {
  const load read = swf(";  Computer: IBM SP2\n;MaxNodes: 3\n;   MaxProcs:  8 (and a spare)\n;\n" + job(1, 0, 1, 1));
  ASSERT_EQ(read.nodes.size(), 3U);
  EXPECT_EQ(read.nodes[0].capacity, (amount_map{{"vcore", 3000}}));
  EXPECT_EQ(read.nodes[1].capacity, (amount_map{{"vcore", 3000}}));
  EXPECT_EQ(read.nodes[2].capacity, (amount_map{{"vcore", 2000}}));
}

TEST(Swf, JobIsAGangInTheQueueOfItsNumber) {
  const load read = swf("; MaxProcs: 8\n" + job(7, 12, 60, 3, 2) + "\n  " + job(8, 13, 5, 1, -1));
  ASSERT_EQ(read.applications.size(), 2U);
  EXPECT_EQ(read.applications[0].id, "job-7");
  EXPECT_EQ(read.applications[0].queue, "root.q2");
  EXPECT_EQ(read.applications[0].user, "user3");
  EXPECT_TRUE(read.applications[0].gang);
  EXPECT_EQ(read.applications[1].queue, "root.none");
  EXPECT_FALSE(read.applications[1].gang);
  ASSERT_EQ(read.asks.size(), 4U);
  EXPECT_EQ(read.asks[2].key, "job-7-2");
  EXPECT_EQ(read.asks[2].arrival_ms, 12'000);
  EXPECT_EQ(read.asks[2].duration_ms, 60'000);
  EXPECT_EQ(read.shapes[read.asks[2].shape].resources, (amount_map{{"vcore", 1000}}));
}

TEST(Swf, RequestedProcessorsGoBeforeAllocatedOnes) {
  const load read = swf("; MaxProcs: 8\n1 0 0 5 2 -1 -1 4 -1 -1 1 1 1 -1 1 -1 -1 -1\n");
  EXPECT_EQ(read.asks.size(), 4U);
}

TEST(Swf, WhatCannotBePlayedIsLeftOutWithItsReason) {
  const load read = swf("; MaxProcs: 8\n" + job(1, 0, -1, 1) + job(2, 0, 5, -1) + job(3, 0, 0, 2, 1, 5) +
                        job(4, 0, 5, 9) + job(5, 0, 5, 9) + job(6, 0, 5, 1, 1, 5));
  std::map<std::string, uint64_t> reasons;
  for (const left_out &group : read.left_out_jobs) reasons[group.reason] = group.count;
  EXPECT_THAT(reasons, UnorderedElementsAre(Pair("no run time", 1U), Pair("no number of processors", 1U),
                                            Pair("cancelled before it ran", 1U),
                                            Pair("more processors than all nodes have", 2U)));
  EXPECT_EQ(read.asks.size(), 1U);  // cancelled while it ran
}

TEST(Swf, PartsOfAnExecutionAreNoJobs) {
  const load read =
      swf("; MaxProcs: 8\n" + job(1, 0, 9, 1) + job(1, 0, 4, 1, 1, 2) + job(1, 4, 5, 1, 1, 3) + job(2, 0, 1, 1));
  EXPECT_EQ(read.applications.size(), 2U);
  EXPECT_TRUE(read.left_out_jobs.empty());
}

TEST(Swf, FieldsBeyondThoseOfTheFormatAndNamesAreTakenWithANote) {
  const load read =
      swf("; MaxProcs: 8\n1 0 0 5 1 -1 -1 1 -1 -1 1 alice 1 -1 short@x -1 -1 -1 7 8\n"
          "2 0 0 5 1 -1 -1 1 -1 -1 1 3 1 -1 4 -1 -1 -1\n");
  ASSERT_EQ(read.applications.size(), 2U);
  EXPECT_EQ(read.applications[0].user, "alice");
  EXPECT_EQ(read.applications[0].queue, "root.short_x");
  EXPECT_EQ(read.applications[1].user, "user3");
  EXPECT_EQ(read.applications[1].queue, "root.q4");
  EXPECT_THAT(read.origin, testing::AllOf(testing::HasSubstr("which are passed over: 1"),
                                          testing::HasSubstr("a name instead of a number: 1")));
}

TEST(Swf, SubmitTimesSince1970StartWithTheFirstJob) {
  for (const std::string header : {"; MaxProcs: 8\n", "; UnixStartTime: 1000000000\n; MaxProcs: 8\n"}) {
    const load read = swf(header + job(1, 1'000'000'010, 9, 1) + job(2, 1'000'000'005, 9, 1));
    EXPECT_EQ(read.asks[0].arrival_ms, 5'000);
    EXPECT_EQ(read.asks[1].arrival_ms, 0);
    EXPECT_EQ(read.begins_ms, 1'000'000'005'000);
  }
  EXPECT_EQ(swf("; UnixStartTime: 1000000000\n; MaxProcs: 8\n" + job(1, 7, 9, 1)).asks[0].arrival_ms, 7'000);
}

TEST(Swf, MachinesGiveNodesAndMemoryCounts) {
  const std::string machines = "node,cpu_norm,mem_norm,platform\ng1,0.5,0.25,B\ng2,1.0,1.0,C\n";
  const load read =
      swf("1 0 0 5 1 -1 2048 -1 -1 -1 1 1 1 -1 1 -1 -1 -1\n2 0 0 5 1 -1 9 -1 -1 1024 1 1 1 -1 1 -1 -1 -1\n",
          {"m.csv", machines});
  ASSERT_EQ(read.nodes.size(), 2U);
  EXPECT_EQ(read.nodes[0].capacity, (amount_map{{"vcore", 32'000}, {"memory", 64 * gib}}));
  EXPECT_EQ(read.shapes[read.asks[0].shape].resources, (amount_map{{"vcore", 1000}, {"memory", 2 * mib}}));
  EXPECT_EQ(read.shapes[read.asks[1].shape].resources, (amount_map{{"vcore", 1000}, {"memory", mib}}));
}

TEST(Machines, FormsAreToldApartByTheirHeaders) {
  load pai, openb;
  EXPECT_EQ(
      read_machines({"m", "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\r\na,T4,96,512,2\r\nb,CPU,64,256,0\r\n"}, pai),
      std::nullopt);
  ASSERT_EQ(pai.nodes.size(), 2U);
  EXPECT_EQ(pai.nodes[0].capacity, (amount_map{{"vcore", 96'000}, {"memory", 512 * gib}, {"gpu", 2000}}));
  EXPECT_THAT(pai.nodes[0].attributes, ElementsAre(Pair("si/gpu-model", "T4")));
  EXPECT_EQ(pai.nodes[1].capacity.count("gpu"), 0U);
  EXPECT_TRUE(pai.nodes[1].attributes.empty());
  EXPECT_EQ(read_machines({"m", "\xEF\xBB\xBFsn,cpu_milli,memory_mib,gpu,model\nn,1,1,0,\n"}, openb), std::nullopt);
  EXPECT_EQ(openb.nodes.size(), 1U);
}

const std::string philly_header = "timestamp,duration,num_gpus,gpu_time,cluster\n";
const std::string pai_header = "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\n";

load philly(const std::string &rows, const std::string &machines = "m1,V100,96,512,8\nm2,CPU,64,256,0\n") {
  const std::string jobs = philly_header + rows, list = pai_header + machines;
  auto read = read_philly({"jobs.csv", jobs}, {"machines.csv", list});
  EXPECT_TRUE(static_cast<bool>(read)) << (read ? "" : read.why().text());
  EXPECT_TRUE(is_consistent(*read));
  return std::move(*read);
}

TEST(Philly, JobIsAGangInTheQueueOfItsVirtualCluster) {
  const load read = philly("2017-10-09 07:01:55,66.5,4,266,11cb48\n2017-10-08 23:59:59,10.0,1,10.0,6214e9\n\n");
  ASSERT_EQ(read.applications.size(), 2U);
  EXPECT_EQ(read.applications[0].queue, "root.11cb48");
  EXPECT_EQ(read.applications[0].user, "vc-11cb48");
  EXPECT_TRUE(read.applications[0].gang);
  EXPECT_FALSE(read.applications[1].gang);
  ASSERT_EQ(read.asks.size(), 5U);
  EXPECT_EQ(read.asks[3].key, "job-1-3");
  EXPECT_EQ(read.asks[3].duration_ms, 66'500);
  EXPECT_EQ(read.shapes[read.asks[3].shape].resources,
            (amount_map{{"gpu", 1000}, {"vcore", 6000}, {"memory", 48 * gib}}));
}

TEST(Philly, TimeStartsWithTheEarliestJobWhereverItStands) {
  const load read = philly("2017-03-01 00:00:10,1.0,1,1,a\n2017-02-28 23:59:50,1.0,1,1,a\n");
  EXPECT_EQ(read.asks[0].arrival_ms, 20'000);
  EXPECT_EQ(read.asks[1].arrival_ms, 0);
}

TEST(Philly, JobLargerThanAllMachinesIsLeftOut) {
  const load read = philly("2017-03-01 00:00:10,1.0,9,9,a\n2017-03-01 00:00:10,1.0,8,8,a\n");
  EXPECT_EQ(read.asks.size(), 8U);
  ASSERT_EQ(read.left_out_jobs.size(), 1U);
  EXPECT_EQ(read.left_out_jobs[0].count, 1U);
}

// A file of `text` as gzip makes it.
std::string compressed(const temporary_folder &in, const std::string &name, const std::string &text) {
  const std::string path = in.file(name, "");
  const gzFile out = ::gzopen(path.c_str(), "wb");
  EXPECT_EQ(::gzwrite(out, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  EXPECT_EQ(::gzclose(out), Z_OK);
  return path;
}

std::string many_lines() {
  std::string out;
  for (int i = 0; i < 400'000; ++i) out += std::to_string(i) + "\n";
  return out;
}

TEST(TraceFile, IsTheSameCompressedAndPlainWhateverItsName) {
  const temporary_folder folder;
  const std::string text = many_lines();
  EXPECT_EQ(*read_trace_file(folder.file("plain.csv.gz", text)), text);
  EXPECT_EQ(*read_trace_file(compressed(folder, "compressed.csv", text)), text);
  EXPECT_EQ(*read_trace_file(folder.file("empty.csv", "")), "");
}

TEST(TraceFile, ThatIsCutOrDamagedIsRefused) {
  const temporary_folder folder;
  const std::string whole = *read_file(compressed(folder, "whole.gz", many_lines()));
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(~damaged[whole.size() / 2]);
  for (const std::string &bytes : {whole.substr(0, whole.size() / 2), whole.substr(0, whole.size() - 1), damaged}) {
    const auto read = read_trace_file(folder.file("bad.gz", bytes));
    ASSERT_FALSE(read);
    EXPECT_THAT(read.why().text(), testing::HasSubstr("damaged or cut"));
  }
}

TEST(TraceFile, ThatCannotBeReadIsRefused) {
  const temporary_folder folder;
  for (const std::string &path : {folder.file("none.csv"), std::string("/proc")}) {
    const auto read = read_trace_file(path);
    ASSERT_FALSE(read) << path;
    EXPECT_THAT(read.why().text(), testing::HasSubstr("cannot read it: ")) << path;
  }
}

TEST(TraceFile, ThatHoldsMoreThanTheLimitIsRefused) {
  const temporary_folder folder;
  const std::string path = compressed(folder, "large.gz", std::string(5'000'000, 'a'));
  EXPECT_EQ(read_trace_file(path, 5'000'000)->size(), 5'000'000U);
  const auto read = read_trace_file(path, 4'999'999);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.why().have, "it holds more than 4999999 bytes");
}

// 70 GPUs, which are not enough at all times.
TEST(PhillyTrace, EveryJobOfFifteenQueuesIsPlacedAsAGang) {
  const std::string folder = TENON_TEST_DATA_DIR "/traces/";
  const auto out = simulated(
      {"--gangs", "soft", "--trace", "philly:" + folder + "philly-jobs.csv.gz," + folder + "philly-machines.csv"});
  EXPECT_EQ(out.at("placed"), 6'692);
  EXPECT_EQ(out.at("pending"), 0);
  EXPECT_EQ(out.at("waiting_seconds").as_object().size(), 15U);
  EXPECT_EQ(out.at("utilisation").at("gpu").at("peak").to_number<double>(), 1.0);
}

class SwfPlay : public testing::Test {
 protected:
  std::string trace(const std::string &jobs, const std::string &header = "; MaxNodes: 2\n; MaxProcs: 4\n") {
    return "swf:" + folder_.file("t.swf", header + jobs);
  }

  temporary_folder folder_;
};

TEST_F(SwfPlay, GangRunsFromTheMomentWhenTheLastWorkerIsPlaced) {
  // Job 1 holds three of four processors until 10 s. Of job 2 one worker is placed at once, the other three then.
  const auto out = simulated({"--trace", trace(job(1, 0, 10, 3) + job(2, 2, 5, 4))});
  EXPECT_EQ(out.at("placed"), 7);
  EXPECT_EQ(out.at("pending"), 0);
  EXPECT_EQ(out.at("makespan_seconds").to_number<double>(), 15.0);
  EXPECT_EQ(seconds(out, "root.q1", "max"), 8.0);
}

TEST_F(SwfPlay, JobsThatAreLeftOutAreTold) {
  const std::string text = trace(job(1, 0, 10, 3) + job(2, 0, -1, 1));
  const auto out = simulated({"--trace", text});
  EXPECT_EQ(out.at("left_out"), 1);
  EXPECT_EQ(out.at("left_out_reasons").at(0).at("reason").as_string(), "no run time");
  EXPECT_EQ(out.at("pending"), 0);
  EXPECT_THAT(run_tenon({"simulate", "--no-progress", "--trace", text}).out, testing::HasSubstr("left out  1\n"));
}

TEST_F(SwfPlay, PlaceholdersAreNeitherPlacedNorPending) {
  const auto out = simulated({"--gangs", "soft", "--trace", trace(job(1, 0, 10, 2) + job(2, 4, 5, 1))});
  EXPECT_EQ(out.at("placed"), 3);
  EXPECT_EQ(out.at("pending"), 0);
  EXPECT_EQ(out.at("makespan_seconds").to_number<double>(), 10.0);
  EXPECT_EQ(seconds(out, "root.q1", "max"), 0.0);
}

TEST_F(SwfPlay, GangWaitsFromItsSubmissionNotFromThatOfItsWorkers) {
  const auto out = simulated(
      {"--gangs", "soft", "--trace", trace(job(1, 0, 10, 3) + job(2, 2, 5, 2), "; MaxNodes: 1\n; MaxProcs: 4\n")});
  EXPECT_EQ(out.at("placed"), 5);
  EXPECT_EQ(seconds(out, "root.q1", "max"), 8.0);
}

TEST_F(SwfPlay, GangThatIsRefusedIsToldWithTheReason) {
  const std::string config = folder_.file(
      "q.yaml",
      "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: \"*\"\n        queues:\n"
      "          - name: q1\n            resources: {max: {vcore: 4}}\n");
  const auto out = simulated(
      {"--gangs", "soft", "--config", config, "--trace", trace(job(1, 0, 10, 5) + job(2, 0, 5, 2), "; MaxProcs: 8\n")});
  EXPECT_EQ(out.at("placed"), 2);
  EXPECT_EQ(out.at("pending"), 5);
  EXPECT_THAT(std::string(out.at("pending_reasons").at(0).at("reason").as_string()),
              testing::HasSubstr("the gang was refused: "));
}

TEST_F(SwfPlay, HalfOfAGangWaitsForTheRest) {
  // Two jobs of three on four processors at once, and no time to wait: the second holds one place.
  const auto out =
      simulated({"--mode", "fill", "--gangs", "soft", "--trace", trace(job(1, 0, 10, 3) + job(2, 0, 5, 3))});
  EXPECT_EQ(out.at("placed").to_number<int>() + out.at("pending").to_number<int>(), 6);
  EXPECT_GE(out.at("pending").to_number<int>(), 3);
}

TEST_F(SwfPlay, SameTraceGivesTheSameRunAndItsJournalToo) {
  std::string jobs;
  for (int i = 0; i < 60; ++i) jobs += job(i, 3 * i, 20 + i % 7 * 5, 1 + i % 4, i % 3);
  for (const std::string style : {"none", "soft", "hard"}) {
    const std::vector<std::string> played{"--gangs", style, "--trace", trace(jobs)};
    const auto run = [&](std::vector<std::string> arguments, const std::string &name) {
      arguments.insert(arguments.end(), {"--decisions", folder_.file(name)});
      (void)simulated(arguments);
      return folder_.text(name);
    };
    const std::string journal = folder_.file("journal-" + style);
    auto recorded = played;
    recorded.insert(recorded.end(), {"--record", journal});
    const std::string first = run(recorded, "first");
    EXPECT_EQ(run(played, "second"), first);
    EXPECT_EQ(run({"--replay", journal}, "replayed"), first);
  }
}

}  // namespace
}  // namespace tenon::cli
