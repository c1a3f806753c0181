// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Loads against the real kernel and its modules: what is counted, and that the same input gives the same run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <random>
#include <sstream>

#include "simulate/generate.hpp"
#include "simulate/progress.hpp"
#include "simulated.hpp"
#include "tenon/json/state_json.hpp"
#include "testing.hpp"
#include "trace/openb.hpp"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path traces_folder = fs::path(TENON_TEST_DATA_DIR) / "traces";

// One node, of one GPU unless said; pods as given: name, arrival and end in seconds.
class SmallTrace : public testing::Test {
 protected:
  std::string trace(const std::string &pods, int gpus = 1) {
    const std::string nodes =
        folder_.file("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn1,4000,4096," + std::to_string(gpus) + ",T4\n");
    const std::string file = folder_.file("pods.csv",
                                          "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_"
                                          "time,deletion_time,scheduled_time\n" +
                                              pods);
    return "openb:" + nodes + "," + file;
  }

  temporary_folder folder_;
};

TEST_F(SmallTrace, SecondPodWaitsForTheFirstToEnd) {
  const auto out = simulated({"--trace", trace("p1,1000,1024,1,1000,,LS,Running,0,10,0\n"
                                               "p2,1000,1024,1,1000,,BE,Running,4,10,0\n")});
  EXPECT_EQ(out.at("placed"), 2);
  EXPECT_EQ(out.at("pending"), 0);
  EXPECT_EQ(out.at("makespan_seconds").to_number<double>(), 16.0);
  EXPECT_EQ(out.at("waiting_seconds").at("root.be").at("max").to_number<double>(), 6.0);
  EXPECT_EQ(out.at("waiting_seconds").at("root.ls").at("max").to_number<double>(), 0.0);
  EXPECT_EQ(out.at("gpus_placed").to_number<double>(), 2.0);
  EXPECT_EQ(out.at("utilisation").at("gpu").at("peak").to_number<double>(), 1.0);
  EXPECT_EQ(out.at("utilisation").at("gpu").at("average").to_number<double>(), 1.0);
  EXPECT_NEAR(out.at("utilisation").at("vcore").at("average").to_number<double>(), 0.25, 1e-12);
}

TEST_F(SmallTrace, PodsThatLastNoTimeFollowEachOtherAtOnce) {
  const auto out =
      simulated({"--trace", trace("p1,1000,1024,1,1000,,LS,Running,5,5,0\np2,1000,1024,1,1000,,LS,Running,5,5,0\n"
                                  "p3,1000,1024,1,1000,,LS,Running,5,5,0\n")});
  EXPECT_EQ(out.at("placed"), 3);
  EXPECT_EQ(out.at("waiting_seconds").at("root.ls").at("max").to_number<double>(), 0.0);
  EXPECT_EQ(out.at("makespan_seconds").to_number<double>(), 5.0);
}

TEST_F(SmallTrace, FillLeavesWhatDoesNotFitWithItsReason) {
  const auto out = simulated({"--mode", "fill", "--trace",
                              trace("p1,1000,1024,1,1000,,LS,Running,0,10,0\np2,1000,1024,1,1000,,LS,Running,4,10,0\n"
                                    "p3,1000,9999,0,0,,LS,Running,4,10,0\n")});
  EXPECT_EQ(out.at("placed"), 1);
  EXPECT_EQ(out.at("pending"), 2);
  int64_t explained = 0;
  for (const auto &reason : out.at("pending_reasons").as_array()) {
    EXPECT_NE(reason.at("reason").as_string(), "could be placed now");
    explained += reason.at("count").to_number<int64_t>();
  }
  EXPECT_EQ(explained, 2);
}

TEST_F(SmallTrace, ExplainSaysWhatHoldsAnAskThatIsLeft) {
  const std::string pods = "p1,1000,1024,1,1000,,LS,Running,0,10,0\np3,1000,9999,0,0,,LS,Running,4,10,0\n";
  const std::vector<std::string> fill{"simulate", "--mode",    "fill",     "--no-progress",
                                      "--trace",  trace(pods), "--explain"};
  const auto explain = [&](const std::string &what, const std::string &more) {
    std::vector<std::string> arguments = fill;
    arguments.push_back(what);
    if (!more.empty()) arguments.push_back(more);
    return run_tenon(arguments);
  };
  const json::value why = json::parse(explain("p3/p3", "--json").out);
  EXPECT_EQ(why.at("pending"), true);
  EXPECT_EQ(why.at("nodes").at("types").at("memory"), 1);
  ASSERT_EQ(why.at("changes").as_array().size(), 1U);
  EXPECT_EQ(why.at("changes").at(0).at("kind"), "raise-node-capacity");
  EXPECT_THAT(explain("p3/p3", "").out, HasSubstr("1 too little memory"));
  EXPECT_THAT(explain("p1/p1", "").out, HasSubstr("placed"));
  for (const char *wrong : {"p3/none", "none/p3", "p3"}) {
    const command_result run = explain(wrong, "");
    EXPECT_EQ(run.code, 1) << wrong;
    EXPECT_THAT(run.err, HasSubstr("APPLICATION/KEY")) << wrong;
  }
}

TEST_F(SmallTrace, AShareNeedsRoomOnOneGpuUnlessSharesAreSummed) {
  std::string pods;
  for (int i = 1; i <= 3; ++i) pods += "p" + std::to_string(i) + ",1000,1024,1,600,,LS,Running,0,10,0\n";
  const auto by_device = simulated({"--mode", "fill", "--trace", trace(pods, 2)});
  EXPECT_EQ(by_device.at("placed"), 2);
  EXPECT_EQ(by_device.at("pending"), 1);
  EXPECT_EQ(by_device.at("pending_reasons").at(0).at("reason").as_string(), "no node fits");
  const auto &gpu = by_device.at("devices").at("gpu");
  EXPECT_EQ(gpu.at("all"), 2);
  EXPECT_EQ(gpu.at("in_part"), 2);
  EXPECT_EQ(gpu.at("free").to_number<int>() + gpu.at("full").to_number<int>(), 0);
  EXPECT_NEAR(gpu.at("free_in_parts").to_number<double>(), 0.8, 1e-9);
  const auto sum = simulated({"--mode", "fill", "--gpu-model", "sum", "--trace", trace(pods, 2)});
  EXPECT_EQ(sum.at("placed"), 3);
  EXPECT_TRUE(sum.at("devices").as_object().empty());
}

TEST_F(SmallTrace, NodeWithTooManyGpusIsRefusedUnlessTheyAreSummed) {
  const std::string pods = "p1,1000,1024,1,600,,LS,Running,0,10,0\n";
  const command_result run = run_tenon({"simulate", "--no-progress", "--trace", trace(pods, 65)});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("node n1"));
  EXPECT_THAT(run.err, HasSubstr("at most 64 GPUs"));
  EXPECT_EQ(simulated({"--gpu-model", "sum", "--trace", trace(pods, 65)}).at("placed"), 1);
}

TEST_F(SmallTrace, PodRunsOnlyOnTheModelsThatItNames) {
  const auto out = simulated(
      {"--mode", "fill", "--trace", trace("p1,1,1,0,0,G2|G3,LS,Running,0,1,0\np2,1,1,0,0,G2|T4,LS,Running,0,1,0\n")});
  EXPECT_EQ(out.at("placed"), 1);
  EXPECT_EQ(out.at("pending"), 1);
}

TEST_F(SmallTrace, UnknownQueueIsCountedAsRejected) {
  const std::string config =
      folder_.file("q.yaml",
                   "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: \"*\"\n"
                   "        queues:\n          - name: ls\n");
  const std::string pods = "p1,1,1,0,0,,LS,Running,0,1,0\np2,1,1,0,0,,BE,Running,0,1,0\n";
  const auto out = simulated({"--trace", trace(pods), "--config", config});
  EXPECT_EQ(out.at("placed"), 1);
  EXPECT_EQ(out.at("rejected"), 1);
  const auto all = simulated({"--trace", trace(pods), "--config", config, "--queue", "root.ls"});
  EXPECT_EQ(all.at("placed"), 2);
}

TEST_F(SmallTrace, EndsWithOneAndTheReasonsWhereEverythingIsRefused) {
  const std::string config =
      folder_.file("q.yaml",
                   "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: \"*\"\n"
                   "        queues:\n          - name: ls\n");
  const command_result run = run_tenon({"simulate", "--no-progress", "--trace", trace("p1,1,1,0,0,,LS,Running,0,1,0\n"),
                                        "--config", config, "--queue", "root.nope"});
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("rejected  1\n"),
                             HasSubstr("failed to place application <application>: application rejected: no "
                                       "placement rule matched; there is no queue root.nope; below root there is ls")));
}

TEST(Openb, MapsColumnsToAmountsTagsAndQueues) {
  const trace_text nodes{"n", "sn,cpu_milli,memory_mib,gpu,model\nn1,32000,2,0,\nn2,64000,4,8,V100M16\n"};
  const trace_text pods{
      "p",
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
      "scheduled_time\np1,1000,3,2,1000,V100M16|V100M32,Burstable,Running,7,19,\n"
      "p2,1000,3,1,250,,LS,Running,7,19,\n"};
  const auto read = read_openb(nodes, pods, gpu_model::sum);
  ASSERT_TRUE(static_cast<bool>(read)) << read.why().text();
  EXPECT_TRUE(is_consistent(*read));
  EXPECT_EQ(read->nodes[0].capacity, (amount_map{{"vcore", 32000}, {"memory", 2 << 20}}));
  EXPECT_TRUE(read->nodes[0].attributes.empty());
  EXPECT_EQ(read->nodes[1].capacity.at("gpu"), 8000);
  EXPECT_EQ(read->nodes[1].attributes.at("si/gpu-model"), "V100M16");
  EXPECT_EQ(read->asks[0].arrival_ms, 7000);
  EXPECT_EQ(read->asks[0].duration_ms, 12000);
  const load_shape &shape = read->shapes[read->asks[0].shape];
  EXPECT_EQ(shape.resources, (amount_map{{"vcore", 1000}, {"memory", 3 << 20}, {"gpu", 2000}}));
  EXPECT_EQ(shape.tags.at("si/gpu-model"), "V100M16|V100M32");
  EXPECT_EQ(read->applications[0].queue, "root.burstable");
  EXPECT_EQ(read->shapes[read->asks[1].shape].resources.at("gpu"), 250);
  const cluster_config config = default_config(*read);
  ASSERT_EQ(config.partitions[0].root.queues.size(), 2U);
  EXPECT_EQ(config.partitions[0].root.queues[0].name, "burstable");
}

TEST(Generate, KeepsToItsOptions) {
  generate_options options;
  options.nodes = 50;
  options.pods = 400;
  options.shapes = 12;
  options.queues = 3;
  options.users = 5;
  options.pods_per_application = 6;
  const load made = generate(options);
  EXPECT_TRUE(is_consistent(made));
  EXPECT_EQ(made.nodes.size(), 50U);
  EXPECT_EQ(made.asks.size(), 400U);
  EXPECT_EQ(made.shapes.size(), 12U);
  EXPECT_LT(made.applications.size(), 400U);
  std::map<std::string, int> queues, users;
  for (const load_application &app : made.applications) ++queues[app.queue], ++users[app.user];
  EXPECT_EQ(queues.size(), 3U);
  EXPECT_EQ(users.size(), 5U);
}

TEST(Generate, SameSeedGivesTheSameRunAndAnotherOneDoesNot) {
  const temporary_folder folder;
  const auto decisions = [&](const std::string &seed) {
    (void)simulated({"--seed", seed, "--nodes", "20", "--pods", "300", "--decisions", folder.file("d")});
    return folder.text("d");
  };
  const std::string first = decisions("5");
  EXPECT_EQ(decisions("5"), first);
  EXPECT_NE(decisions("6"), first);
}

TEST(Simulate, DefaultLoadIsOfTheSizeOfATrace) {
  const auto out = simulated({"--mode", "fill"});
  EXPECT_EQ(out.at("nodes"), 1500);
  EXPECT_EQ(out.at("placed").to_number<int>() + out.at("pending").to_number<int>(), 8000);
  EXPECT_GT(out.at("placed").to_number<int>(), 7000);
  EXPECT_GT(out.at("decisions_per_second").to_number<double>(), 0.0);
  EXPECT_GT(out.at("scheduling_seconds").to_number<double>(), 0.0);
}

TEST(Simulate, TellsAPersonTheSummary) {
  const command_result run = run_tenon({"simulate", "--nodes", "5", "--pods", "100", "--no-progress"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err, "");
  for (const char *part :
       {"placed    100", "makespan", "use of the capacity", "waiting, seconds", "root.q0", "a second"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
}

TEST(Simulate, DumpIsReadBackAsItWas) {
  const temporary_folder folder;
  (void)simulated({"--nodes", "5", "--pods", "60", "--mode", "fill", "--dump", folder.file("dump")});
  const std::string text = folder.text("dump");
  const auto read = state_json::read_state(text);
  ASSERT_TRUE(static_cast<bool>(read)) << read.why().text();
  ASSERT_EQ(read->partitions.size(), 1U);
  EXPECT_EQ(read->partitions[0].nodes.size(), 5U);
  EXPECT_FALSE(read->partitions[0].applications.empty());
  EXPECT_EQ(boost::json::serialize(state_json::write(*read)) + "\n", text);
  EXPECT_FALSE(static_cast<bool>(state_json::read_state("{\"partitions\": 5}")));
  EXPECT_FALSE(static_cast<bool>(state_json::read_state("{\"partitions\": [{\"state\": \"Asleep\"}]}")));
}

TEST(Progress, SaysLinesWhereThereIsNoTerminal) {
  std::ostringstream err;
  progress lines(err, progress_style::lines, "pods", 10);
  lines.show(3, "3 placed");
  EXPECT_EQ(err.str(), "");  // not within the first seconds
  lines.finish(10, "9 placed");
  EXPECT_THAT(err.str(), testing::MatchesRegex("tenon: 10/10 pods, 9 placed, [0-9.]+ s\n"));
}

TEST(Progress, DrawsABarOnATerminal) {
  std::ostringstream err;
  progress bar(err, progress_style::bar, "pods", 10);
  bar.finish(5, "4 placed");
  EXPECT_THAT(err.str(), HasSubstr("\r[###############...............] 5/10 pods, 4 placed"));
}

TEST(OpenbTrace, FillPlacesMostAndTwiceTheSame) {
  const temporary_folder folder;
  const auto fill = [&](const std::string &decisions) {
    return simulated({"--mode", "fill", "--gpu-model", "sum", "--decisions", folder.file(decisions), "--trace",
                      "openb:" + (traces_folder / "openb-nodes.csv.gz").string() + "," +
                          (traces_folder / "openb-pods.csv.gz").string()});
  };
  const auto out = fill("first");
  EXPECT_GE(out.at("placed").to_number<int>(), 7900);
  EXPECT_EQ(out.at("placed").to_number<int>() + out.at("pending").to_number<int>(), 8152);
  EXPECT_EQ(out.at("nodes"), 1523);
  (void)fill("second");
  EXPECT_EQ(folder.text("first"), folder.text("second"));
}

}  // namespace
}  // namespace tenon::cli
