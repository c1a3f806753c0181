// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Asks that arrive one after the other in an order by chance: what is drawn, what is placed, and what many seeds say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "load/arrivals.hpp"
#include "report/run_record.hpp"
#include "simulate/seeds.hpp"
#include "testing.hpp"
#include "trace/openb.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> keys_of(const load &of) {
  std::vector<std::string> out;
  for (const load_ask &ask : of.asks) out.push_back(ask.key);
  return out;
}

int64_t asked(const load &of) {
  int64_t sum = 0;
  for (const load_ask &ask : of.asks) sum += gpus_of(of, ask);
  return sum;
}

// Ten GPUs on two nodes, a third node without any; forty asks for a fifth of a GPU up to one, eight without.
load small() {
  std::string pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n";
  for (int i = 0; i < 48; ++i) {
    const int milli = i % 6 == 5 ? 0 : 200 * (1 + i % 5);
    pods += "p" + std::to_string(i) + ",1000,1024," + (milli > 0 ? "1," : "0,") + std::to_string(milli) + "\n";
  }
  auto read =
      read_openb({"n", "sn,cpu_milli,memory_mib,gpu,model\nn1,96000,99999,8,T4\nn2,9000,9999,2,T4\nn3,9000,9999,0,\n"},
                 {"p", pods}, gpu_model::device);
  EXPECT_TRUE(static_cast<bool>(read)) << (read ? "" : read.why().text());
  return std::move(*read);
}

TEST(Redraw, OrderFollowsFromTheSeed) {
  load first = small(), again = small(), other = small();
  EXPECT_EQ(redraw(first, {7}), std::nullopt);
  EXPECT_EQ(redraw(again, {7}), std::nullopt);
  EXPECT_EQ(redraw(other, {8}), std::nullopt);
  EXPECT_EQ(keys_of(first), keys_of(again));
  EXPECT_NE(keys_of(first), keys_of(other));
  EXPECT_NE(keys_of(first), keys_of(small()));
  EXPECT_THAT(keys_of(first), testing::UnorderedElementsAreArray(keys_of(small())));
  for (const load_application &application : first.applications) EXPECT_EQ(application.queue, "root.default");
}

TEST(Redraw, NodesThatAreEqualGoByChanceAsWell) {
  std::set<std::string> first_of;
  for (uint64_t seed = 1; seed < 20; ++seed) {
    load drawn = small(), again = small();
    EXPECT_EQ(redraw(drawn, {seed}), std::nullopt);
    EXPECT_EQ(redraw(again, {seed}), std::nullopt);
    std::vector<std::string> ids;
    for (size_t i = 0; i < drawn.nodes.size(); ++i) {
      EXPECT_EQ(drawn.nodes[i].id, again.nodes[i].id);
      EXPECT_EQ(drawn.nodes[i].id.substr(2), small().nodes[i].id) << "a number and its own id";
      EXPECT_EQ(drawn.nodes[i].capacity, small().nodes[i].capacity);
      ids.push_back(drawn.nodes[i].id);
    }
    std::sort(ids.begin(), ids.end());
    for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i].substr(0, 2), std::to_string(i) + "-");
    first_of.insert(ids.front().substr(2));
  }
  EXPECT_EQ(first_of.size(), 3U) << "each is the first one with some seed";
}

TEST(Redraw, InflatingDrawsAsksAgainUpToTheRatio) {
  load more = small();
  const int64_t own = asked(more);
  EXPECT_EQ(redraw(more, {1, 4.0}), std::nullopt);
  EXPECT_TRUE(is_consistent(more));
  EXPECT_GT(asked(more), own);
  EXPECT_LE(asked(more), 40'000);
  EXPECT_GT(asked(more), 39'000);
  for (size_t i = 0; i < 48; ++i)
    EXPECT_EQ(more.asks[i].key.find("-again-"), std::string::npos) << "own ones come first";
  EXPECT_THAT(more.asks.back().key, HasSubstr("-again-"));
}

TEST(Redraw, InflatingTakesAsksOutWhereThereAreTooMany) {
  load fewer = small();
  EXPECT_EQ(redraw(fewer, {1, 0.5}), std::nullopt);
  EXPECT_LE(asked(fewer), 5000);
  EXPECT_GT(asked(fewer), 3900);
  EXPECT_LT(fewer.asks.size(), 48U);
}

TEST(Redraw, WhatCannotBeDrawnIsRefused) {
  load gangs = small();
  gangs.applications[0].gang = true;
  EXPECT_NE(redraw(gangs, {1}), std::nullopt);
  load without = small();
  for (load_node &node : without.nodes) node.capacity.erase("gpu");
  const auto why = redraw(without, {1, 1.3});
  ASSERT_NE(why, std::nullopt);
  EXPECT_EQ(why->where, "--inflate");
}

TEST(Redraw, NodesWithoutGpusGo) {
  load of = small();
  EXPECT_EQ(gpus_of_nodes(of), 10'000);
  keep_gpu_nodes(of);
  ASSERT_EQ(of.nodes.size(), 2U);
  EXPECT_EQ(gpus_of_nodes(of), 10'000);
}

TEST(Seeds, ARangeIsWrittenWithTwoDots) {
  EXPECT_THAT(*parse_seeds("42..44", "--seeds"), ElementsAre(42U, 43U, 44U));
  EXPECT_THAT(*parse_seeds("9", "--seeds"), ElementsAre(9U));
  EXPECT_THAT(*parse_seeds("18446744073709551615", "--seeds"), ElementsAre(UINT64_MAX));
  for (const char *wrong : {"", "..", "4..", "..4", "5..4", "1...3", "a..b", "0..1000", "-1..2"}) {
    const auto read = parse_seeds(wrong, "--seeds");
    ASSERT_FALSE(static_cast<bool>(read)) << wrong;
    EXPECT_THAT(read.why().text(), HasSubstr("--seeds")) << wrong;
  }
}

TEST(LineUp, KeepsTheOrderOfTheLoadInOneQueue) {
  load of = small();
  EXPECT_EQ(line_up(of), std::nullopt);
  EXPECT_EQ(keys_of(of), keys_of(small()));
  for (const load_application &application : of.applications) EXPECT_EQ(application.queue, "root.default");
  of.applications[0].gang = true;
  EXPECT_NE(line_up(of), std::nullopt);
}

TEST(TagWithNames, EachAskHasItsOwnAndKeepsWhatItWants) {
  load of = small();
  of.shapes[of.asks[0].shape].tags["other"] = "kept";
  const load before = of;
  EXPECT_EQ(tag_with_names(of, "name"), std::nullopt);
  EXPECT_TRUE(is_consistent(of));
  EXPECT_EQ(keys_of(of), keys_of(before));
  for (size_t i = 0; i < of.asks.size(); ++i) {
    const load_shape &shape = of.shapes[of.asks[i].shape], &had = before.shapes[before.asks[i].shape];
    EXPECT_EQ(shape.resources, had.resources);
    auto tags = had.tags;
    tags["name"] = of.asks[i].key;
    EXPECT_EQ(shape.tags, tags);
  }
  of.applications[0].gang = true;
  const auto why = tag_with_names(of, "name");
  ASSERT_NE(why, std::nullopt);
  EXPECT_EQ(why->where, "--name-tag");
}

// One node of four GPUs.
class Arrival : public testing::Test {
 protected:
  std::vector<std::string> command(const std::string &pods, std::vector<std::string> more = {}) {
    const std::string nodes = folder_.file("n.csv", "sn,cpu_milli,memory_mib,gpu,model\nn1,4000,4096,4,T4\n");
    const std::string file = folder_.file("p.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n" + pods);
    std::vector<std::string> out{"simulate",      "--mode",  "fill",
                                 "--no-progress", "--trace", "openb:" + nodes + "," + file};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  json::value played(const std::string &pods, std::vector<std::string> more) {
    more.emplace_back("--json");
    const command_result run = run_tenon(command(pods, more));
    EXPECT_EQ(run.code, 0) << run.err;
    return json::parse(run.out);
  }

  temporary_folder folder_;
};

constexpr const char *six_of_one =
    "p1,100,1,1,1000\np2,100,1,1,1000\np3,100,1,1,1000\np4,100,1,1,1000\n"
    "p5,100,1,1,1000\np6,100,1,1,1000\n";

TEST_F(Arrival, WhatFindsNoPlaceIsCountedAtOnce) {
  const json::value out = played(six_of_one, {"--shuffle", "1"});
  EXPECT_EQ(out.at("placed"), 4);
  EXPECT_EQ(out.at("pending"), 2);
  EXPECT_EQ(out.at("pending_reasons").at(0).at("reason"), "no place when it arrived");
}

TEST_F(Arrival, WhatFoundNoPlaceHoldsNobodyBack) {
  // Too large for the node, whatever the order; it waits in front of nobody.
  for (const char *seed : {"1", "2", "3", "4"}) {
    const json::value out = played("a,9000,1,1,1000\nb,100,1,1,1000\nc,100,1,1,1000\n", {"--shuffle", seed});
    EXPECT_EQ(out.at("placed"), 2);
  }
}

TEST_F(Arrival, InOrderTheFirstOnesFindAPlace) {
  const std::string one_for_three = "a,100,1,3,1000\n", two_for_two = "b,100,1,2,1000\nc,100,1,2,1000\n";
  EXPECT_EQ(played(one_for_three + two_for_two, {"--in-order"}).at("gpus_placed"), 3.0);
  const json::value other = played(two_for_two + one_for_three, {"--in-order"});
  EXPECT_EQ(other.at("gpus_placed"), 4.0);
  EXPECT_EQ(other.at("allocation").as_array().size(), 176U);
}

TEST_F(Arrival, CurveIsWhatWasPlacedWhenSoMuchHadArrived) {
  const json::array curve = played(six_of_one, {"--shuffle", "1"}).at("allocation").as_array();
  ASSERT_EQ(curve.size(), 151U);
  const auto at = [&](size_t percent) { return curve.at(percent).to_number<double>(); };
  EXPECT_DOUBLE_EQ(at(0), 0);
  EXPECT_DOUBLE_EQ(at(24), 0) << "the first ask is for a quarter of the GPUs";
  EXPECT_DOUBLE_EQ(at(25), 0.25);
  EXPECT_DOUBLE_EQ(at(99), 0.75);
  EXPECT_DOUBLE_EQ(at(100), 1);
  EXPECT_DOUBLE_EQ(at(150), 1);
  EXPECT_FALSE(played(six_of_one, {}).as_object().contains("allocation"))
      << "all at once: nobody arrives after another";
}

TEST_F(Arrival, SeedsAreTheRunsOfEachAndTheirMean) {
  const std::string pods = "a,100,1,2,1000\nb,100,1,3,1000\nc,100,1,1,1000\nd,100,1,1,500\n";
  const json::value out = played(pods, {"--seeds", "1..6"});
  const auto &runs = out.at("runs").as_array();
  ASSERT_EQ(runs.size(), 6U);
  double sum = 0;
  std::set<double> different;
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].at("seed"), i + 1);
    const json::value alone = played(pods, {"--shuffle", std::to_string(i + 1)});
    EXPECT_EQ(runs[i].at("allocation"), alone.at("allocation"));
    EXPECT_EQ(runs[i].at("placed"), alone.at("placed"));
    sum += alone.at("gpus_placed").to_number<double>();
    different.insert(alone.at("gpus_placed").to_number<double>());
  }
  const json::value &gpus = out.at("of_seeds").at("gpus_placed");
  EXPECT_NEAR(gpus.at("mean").to_number<double>(), sum / 6, 1e-9);
  EXPECT_EQ(gpus.at("least").to_number<double>(), *different.begin());
  EXPECT_EQ(gpus.at("most").to_number<double>(), *different.rbegin());
  EXPECT_GT(different.size(), 1U) << "the order matters";
  EXPECT_GT(gpus.at("deviation").to_number<double>(), 0);
  EXPECT_EQ(out.at("of_seeds").at("allocation").as_array().size(), runs[0].at("allocation").as_array().size());
}

TEST_F(Arrival, TellsAPersonMeanAndSpread) {
  const command_result run = run_tenon(command(six_of_one, {"--seeds", "1..3"}));
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char *part :
       {"seeds 1 to 3", "mean  deviation", "placed                       4.00", "GPUs placed of 100%"}) {
    EXPECT_THAT(run.out, HasSubstr(part));
  }
  const command_result one = run_tenon(command(six_of_one, {"--shuffle", "1"}));
  EXPECT_THAT(one.out,
              HasSubstr("GPUs placed when so many were asked for: 50.00% at 50%, 100.00% at 100%, 100.00% at 150%"));
}

TEST_F(Arrival, ReportHasTheCurve) {
  const auto curve = [&](const char *file) { return read_report(folder_.text(file), file)->counted.allocation; };
  (void)played(six_of_one, {"--shuffle", "1", "--report", folder_.file("r.html")});
  EXPECT_FALSE(curve("r.html").empty());
  (void)played(six_of_one, {"--report", folder_.file("all.html")});
  EXPECT_TRUE(curve("all.html").empty());
}

TEST_F(Arrival, OptionsThatMeanNothingTogetherAreRefused) {
  const auto refused = [&](std::vector<std::string> more) {
    const command_result run = run_tenon(command(six_of_one, std::move(more)));
    EXPECT_EQ(run.code, 2);
    return run.err;
  };
  EXPECT_THAT(refused({"--inflate", "1.3"}), HasSubstr("a seed to draw asks by"));
  EXPECT_THAT(refused({"--inflate", "1.3", "--in-order"}), HasSubstr("a seed to draw asks by"));
  EXPECT_THAT(refused({"--shuffle", "1", "--in-order"}), HasSubstr("--in-order"));
  EXPECT_THAT(refused({"--seeds", "1..2", "--in-order"}), HasSubstr("--in-order"));
  const command_result in_time = run_tenon({"simulate", "--shuffle", "1", "--no-progress"});
  EXPECT_EQ(in_time.code, 2);
  EXPECT_THAT(in_time.err, HasSubstr("--mode fill"));
  EXPECT_THAT(run_tenon({"simulate", "--in-order", "--no-progress"}).err, HasSubstr("--mode fill"));
  EXPECT_THAT(refused({"--seeds", "3..1"}), HasSubstr("FIRST..LAST"));
  EXPECT_THAT(refused({"--seeds", "1..2", "--node-sort", "none-such"}), HasSubstr("none-such"));
}

}  // namespace
}  // namespace tenon::cli
