// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The six published orders of sdk/examples/packing: scores worked out by hand from the page of each policy.
#include <gtest/gtest.h>

#include <set>

#include "tenon/builtin/policy_source.hpp"
#include "tenon/testing/policy_table.hpp"

extern "C" {
extern const tenon_module tenon_module_packing;
}

namespace tenon {
namespace {

using order_of_nodes = std::vector<uint32_t>;

// Nodes of which is known what they have free, and an ask for them.
struct node_with_gpus {
  std::vector<int64_t> gpus;
  int64_t vcore = 64'000;
  std::string model = "T4";
};

class PackingExamples : public ::testing::Test {
 protected:
  static std::unique_ptr<bound_policy> policy(std::string_view name, std::string_view configuration = "{}") {
    static constexpr std::array modules{builtin::static_module{"example.packing", &tenon_module_packing}};
    auto bound = bind_static(modules, module_kind::node_sort, name, configuration, 16);
    if (!bound) throw std::runtime_error(bound.why().text());
    return std::move(*bound);
  }

  void nodes(const std::vector<node_with_gpus> &all) {
    std::vector<testing::policy_table::amounts> free;
    std::vector<std::vector<int64_t>> gpus;
    std::vector<std::optional<std::string>> models, ids;
    for (const node_with_gpus &node : all) {
      ids.emplace_back("node-" + std::to_string(ids.size()));
      free.push_back({{"vcore", node.vcore}, {"memory", 1 << 20}});
      gpus.push_back(node.gpus);
      models.emplace_back(node.model);
    }
    table_.resources("node.free", free)
        .lists("node.devices:gpu", gpus)
        .texts("node.attr:si/gpu-model", models)
        .texts("node.id", ids);
  }

  // `tagged`: the devices that its tag wants.
  order_of_nodes order(const bound_policy &of, int64_t gpu, int64_t vcore = 1000, int64_t tagged = 0) {
    table_.resources("ask.resources", {{{"vcore", vcore}, {"gpu", gpu}}});
    table_.numbers("ask.devices:gpu", {tagged}).numbers("score.devices:gpu", {1});
    table_.texts("ask.tag:kubernetes.io/meta/podName", {name_});
    const auto scored = table_.scores(of);
    EXPECT_EQ(scored.status, TENON_OK);
    order_of_nodes out = table_.all();
    std::stable_sort(out.begin(), out.end(),
                     [&](uint32_t a, uint32_t b) { return scored.keys[a].at(0) < scored.keys[b].at(0); });
    return out;
  }
  // 0 to 100 points, as they are published.
  std::vector<int64_t> points(const bound_policy &of, int64_t gpu, int64_t vcore = 1000) {
    (void)order(of, gpu, vcore);
    std::vector<int64_t> out;
    for (const auto &key : table_.scores(of).keys) {
      out.push_back(static_cast<int64_t>(~key.at(0) ^ uint64_t{1} << 63));
    }
    return out;
  }
  // The masks of the GPUs that are chosen, by node.
  std::vector<uint64_t> chosen(const bound_policy &of, int64_t gpu, int64_t tagged = 0) {
    (void)order(of, gpu, 1000, tagged);
    std::vector<uint64_t> out;
    for (const auto &key : table_.scores(of).keys) out.push_back(key.at(1));
    return out;
  }

  testing::policy_table table_{{"vcore", "memory", "gpu"}};
  std::optional<std::string> name_;  // of the ask
};

using points_of_nodes = std::vector<int64_t>;

TEST_F(PackingExamples, GpusInUseThenIdleOnesThenIdleNodes) {
  nodes({{{1000, 1000}}, {{1000, 0}}, {{500, 1000}}, {{300, 1000}}, {{1000, 1000, 1000, 1000}}});
  EXPECT_EQ(points(*policy("packing-gpus"), 200), (points_of_nodes{31, 49, 95, 97, 29}));
  EXPECT_EQ(points(*policy("packing-gpus"), 0), (points_of_nodes{0, 0, 0, 0, 0}));
}

TEST_F(PackingExamples, BestFitIsTheLeastLeft) {
  nodes({{{1000, 1000}, 65'000}, {{1000, 0}, 65'000}, {{1000, 1000}, 1000}});
  // Left of 128 cores and of 8 GPUs, half each: 64 and 1, 64 and 0, 0 and 1.
  EXPECT_EQ(points(*policy("packing-best-fit"), 1000), (points_of_nodes{68, 75, 93}));
}

TEST_F(PackingExamples, DotProductIsTheSmallestProduct) {
  nodes({{{1000, 1000}, 128'000}, {std::vector<int64_t>(8, 1000), 128'000}, {std::vector<int64_t>(8, 1000), 64'000}});
  // 100 - 50 * (free cores * wanted cores + free GPUs * wanted GPUs), as parts of the largest node.
  EXPECT_EQ(points(*policy("packing-dot-product"), 8000, 64'000), (points_of_nodes{62, 25, 37}));
}

TEST_F(PackingExamples, ClusteringKeepsSharesAndWholesApart) {
  nodes({{{0, 1000}}, {{500, 1000}}, {{1000, 1000}}, {{0, 500}}});
  EXPECT_EQ(order(*policy("packing-clustering"), 500), (order_of_nodes{1, 3, 2, 0}));
  EXPECT_EQ(order(*policy("packing-clustering"), 1000), (order_of_nodes{0, 3, 2, 1}));
}

TEST_F(PackingExamples, RandomIsAnotherOrderForAnotherSeedAndTheSameForTheSame) {
  std::vector<node_with_gpus> all;
  for (int64_t i = 0; i < 40; ++i) all.push_back({{i * 20, 1000}});
  nodes(all);
  const auto first = order(*policy("packing-random"), 100), again = order(*policy("packing-random"), 100);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, order(*policy("packing-random", R"({"seed": 1})"), 100));
  EXPECT_NE(first, order(*policy("packing-random"), 200)) << "every shape has an order of its own";
  nodes(std::vector<node_with_gpus>(40, {{1000, 1000}}));
  EXPECT_NE(order(*policy("packing-random"), 100), table_.all()) << "also of nodes that are alike";
}

TEST_F(PackingExamples, RandomDrawsAnewForEachNameOfAnAsk) {
  nodes(std::vector<node_with_gpus>(40, {{1000, 1000}}));
  const auto random = policy("packing-random"), best_fit = policy("packing-best-fit");
  const auto nameless = order(*random, 100), any = order(*best_fit, 100);
  std::set<uint32_t> first;
  for (const char *name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    name_ = name;
    const auto drawn = order(*random, 100);
    EXPECT_NE(drawn, nameless) << name;
    EXPECT_EQ(drawn, order(*random, 100)) << name;
    EXPECT_EQ(order(*best_fit, 100), any) << name;
    first.insert(drawn.front());
  }
  EXPECT_GT(first.size(), 4U);
}

TEST_F(PackingExamples, RandomTakesAnyGpuWithRoom) {
  nodes({{{0, 100, 1000, 500}}, {{1000, 1000}}, {{50, 0}}});
  std::vector<uint64_t> seen(3);
  for (int seed = 0; seed < 40; ++seed) {
    const auto by_lot = chosen(*policy("packing-random", R"({"seed": )" + std::to_string(seed) + "}"), 100);
    for (size_t node = 0; node < 3; ++node) seen[node] |= by_lot[node];
  }
  EXPECT_EQ(seen, (std::vector<uint64_t>{0b1110, 0b11, 0}));
}

TEST_F(PackingExamples, WholeGpusAndPartsOfSeveralAreTheSchedulersToChoose) {
  nodes({{{1000, 1000}}});
  for (const char *name : {"packing-random", "packing-fgd"}) {
    const auto one = policy(name, R"({"shapes": ["1000 1000 1"]})");
    EXPECT_EQ(chosen(*one, 1000), std::vector<uint64_t>{0}) << name;
    EXPECT_EQ(chosen(*one, 2000), std::vector<uint64_t>{0}) << name;
    EXPECT_EQ(chosen(*one, 500, 2), std::vector<uint64_t>{0}) << name;
    EXPECT_NE(chosen(*one, 500, 1), std::vector<uint64_t>{0}) << name;
  }
}

TEST_F(PackingExamples, FgdTakesTheGpuWhereTheLeastIsLost) {
  // All typical asks are for 600: 500 of 700 are no use to them, and 500 of 1000 would be none after it.
  const auto fgd = policy("packing-fgd", R"({"shapes": ["1000 600 1"]})");
  nodes({{{1000, 700, 500}}, {{1000, 450}}, {{300, 1000, 900}}});
  // What is lost grows by 500 and by 200 and shrinks by 500 on the GPUs of the first node.
  EXPECT_EQ(chosen(*fgd, 500), (std::vector<uint64_t>{0b100, 0b01, 0b100}));
  EXPECT_EQ(points(*fgd, 500), (points_of_nodes{62, 37, 40}));
  EXPECT_EQ(chosen(*fgd, 400), (std::vector<uint64_t>{0b100, 0b10, 0b010}));
}

TEST_F(PackingExamples, FgdKeepsWhatTypicalAsksCanUse) {
  // Half of all ask for a whole GPU. A half of one GPU is lost to them once it is broken.
  const auto fgd = policy("packing-fgd", R"({"shapes": ["1000 1000 0.5", "1000 500 0.5"]})");
  nodes({{{1000, 1000}}, {{500, 1000}}});
  EXPECT_EQ(order(*fgd, 500), (order_of_nodes{1, 0}));
  // Grows by 250 on the first node (half of 500), and shrinks by 250 on the second: 100 / (1 + e^0.25), and e^-0.25.
  EXPECT_EQ(points(*fgd, 500), (points_of_nodes{43, 56}));
}

TEST_F(PackingExamples, FgdLeavesModelsAndCoresToThoseWhoNeedThem) {
  const auto models = policy("packing-fgd", R"({"shapes": ["1000 1000 0.5 V100|P100", "1000 1000 0.5"]})");
  nodes({{{1000}, 64'000, "V100"}, {{1000}, 64'000, "T4"}});
  EXPECT_EQ(order(*models, 1000), (order_of_nodes{1, 0})) << "the T4 was lost to half of them before";
  const auto cores = policy("packing-fgd", R"({"shapes": ["16000 1000 1"]})");
  nodes({{{1000, 1000}, 32'000}, {{1000, 1000}, 64'000}});
  EXPECT_EQ(order(*cores, 1000, 17'000), (order_of_nodes{1, 0})) << "15 cores are too few for the other GPU";
}

TEST_F(PackingExamples, ShapesThatCannotBeReadAreRefused) {
  for (const char *wrong : {"", "1000", "1000 1000", "1000 1000 x", "a 1000 1", "-1 1000 1", "1000 1000 0.5T4"}) {
    EXPECT_THROW((void)policy("packing-fgd", std::string(R"({"shapes": [")") + wrong + "\"]}"), std::runtime_error)
        << wrong;
  }
}

}  // namespace
}  // namespace tenon
