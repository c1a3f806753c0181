// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tenon/sdk/keys.hpp"
#include "tenon/testing/properties.hpp"

namespace tenon {
namespace {

using sdk::ascending;
using testing::bound;
using testing::policy_table;

std::unique_ptr<bound_policy> gpu_pack(std::string_view configuration = "{}") {
  return bound(module_kind::node_sort, "gpu-pack", configuration);
}

struct node {
  std::vector<int64_t> devices;  // what each has free
  int64_t size = 10;             // 0: not divided
  int64_t vcore = 100;           // free
  std::string model = "";
};
struct shape {
  int64_t count, gpu;
  int64_t vcore = 0;
  std::string models = "";
};

// The nodes, an ask for them, and what asks looked like before.
class scene {
 public:
  scene(const std::vector<node> &nodes, const policy_table::amounts &ask, const std::vector<shape> &shapes = {},
        int64_t wanted = 0)
      : table_({"vcore", "gpu"}) {
    std::vector<policy_table::amounts> free;
    std::vector<std::vector<int64_t>> devices;
    std::vector<int64_t> sizes;
    texts models;
    for (const node &n : nodes) {
      free.push_back({{"vcore", n.vcore}});
      devices.push_back(n.devices);
      sizes.push_back(n.size);
      models.push_back(text_or_none(n.model));
    }
    table_.resources("node.free", free).lists("node.devices:gpu", devices).numbers("node.device_size:gpu", sizes);
    table_.texts("node.attr:si/gpu-model", models);
    table_.resources("ask.resources", {ask}).numbers("ask.devices:gpu", {wanted});
    seen(shapes);
    has({});
  }

  scene &seen(const std::vector<shape> &shapes) {
    std::vector<int64_t> counts, amounts;
    texts tags;
    for (const shape &s : shapes) {
      counts.push_back(s.count);
      amounts.insert(amounts.end(), {s.vcore, s.gpu});
      tags.push_back(text_or_none(s.models));
    }
    table_.lists("shapes.counts", {counts}).lists("shapes.amounts", {amounts});
    table_.text_lists("shapes.tags:si/gpu-model", {tags});
    return *this;
  }
  // How much there is of each model.
  scene &has(const std::vector<std::pair<std::string, int64_t>> &models) {
    texts values;
    std::vector<int64_t> totals;
    for (const auto &[model, gpu] : models) {
      values.push_back(text_or_none(model));
      totals.insert(totals.end(), {0, gpu});
    }
    table_.text_lists("groups.values:si/gpu-model", {values}).lists("groups.totals:si/gpu-model", {totals});
    return *this;
  }

  [[nodiscard]] std::vector<uint32_t> order(const bound_policy &p) const {
    const auto result = table_.scores(p);
    EXPECT_EQ(result.status, TENON_OK);
    std::vector<uint32_t> out = table_.all();
    std::stable_sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) { return result.keys[a] < result.keys[b]; });
    return out;
  }
  [[nodiscard]] std::vector<uint64_t> key(const bound_policy &p) const { return table_.scores(p).keys.at(0); }
  [[nodiscard]] const policy_table &table() const { return table_; }

 private:
  using texts = std::vector<std::optional<std::string>>;
  static std::optional<std::string> text_or_none(const std::string &text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }
  policy_table table_;
};

using order_of_nodes = std::vector<uint32_t>;

TEST(GpuPack, BeforeAnythingIsKnownTheSmallestRestThenTheFullestNode) {
  const scene s({{{10, 3}}, {{2, 10}}, {{2, 0}}}, {{"gpu", 2}});
  EXPECT_EQ(s.order(*gpu_pack()), (order_of_nodes{2, 1, 0}));
}

TEST(GpuPack, LeavesBehindWhatAsksThatComeCanUse) {
  // Two asks for 3 fill 6. Of 8 they leave 2, and of 4 they leave 1.
  const scene s({{{6}}, {{8}}}, {{"gpu", 2}}, {{100, 3}});
  EXPECT_EQ(s.order(*gpu_pack()), (order_of_nodes{1, 0}));
  const scene fours({{{6}}, {{8}}}, {{"gpu", 2}}, {{100, 4}});
  EXPECT_EQ(fours.order(*gpu_pack()), (order_of_nodes{0, 1}));
}

TEST(GpuPack, WasteIsWhatTheNextFortyLeaveBehind) {
  // Of 10 nothing fits but 6: 4 are wasted. Of what is left of 6, 0.
  const scene s({{{10, 7}}}, {{"gpu", 6}}, {{1, 6}, {1, 20}});
  EXPECT_EQ(s.key(*gpu_pack()),
            (std::vector<uint64_t>{ascending(0.1 - 0.1), ascending(int64_t{1}), ascending(int64_t{17})}));
  // Half of the asks are for a whole device: that none of forty comes has the chance 2^-40.
  const double none = 0x1p-40;
  const double of_ten = (1 - none) * 0 + none * (1 - none) * 4 + none * none * 10;
  const double of_four = 4;
  const scene whole({{{10}}}, {{"gpu", 6}}, {{1, 6}, {1, 10}});
  EXPECT_EQ(whole.key(*gpu_pack()).at(0), ascending(0.0 + (of_four / 10 - of_ten / 10)));
}

TEST(GpuPack, CoresThatAsksComeWithAreKeptForDevices) {
  // Asks come with 10 cores for a GPU of 10, of which 0.8 are kept.
  const std::vector<shape> shapes{{5, 10, 10}};
  const scene s({{{10, 10}, 10, 20}, {{10, 10}, 10, 100}}, {{"vcore", 15}}, shapes);
  EXPECT_EQ(s.order(*gpu_pack()), (order_of_nodes{1, 0}));
  const double stranded_after = 20 - 5 / 0.8;
  EXPECT_EQ(s.key(*gpu_pack()).at(0), ascending(stranded_after / 10));
  EXPECT_EQ(s.key(*gpu_pack(R"({"resourceweights":{"vcore":0.5}})")).at(0), ascending((20 - 5 / 0.5) / 10));
  EXPECT_EQ(s.key(*gpu_pack(R"({"resourceweights":{"vcore":0}})")).at(0), ascending(0.0));
}

TEST(GpuPack, ScarceModelsAreForThoseWhoNameThem) {
  const std::vector<node> nodes{{{10}, 10, 100, "A"}, {{10}, 10, 100, "B"}, {{10}, 10, 100, ""}};
  scene s(nodes, {{"gpu", 10}}, {{3, 10}, {1, 10, 0, "A"}, {1, 10, 0, "B|A"}});
  s.has({{"", 10}, {"A", 20}, {"B", 60}});
  EXPECT_EQ(s.order(*gpu_pack()), (order_of_nodes{2, 1, 0}));
  // 10 of 50 name A, of which 20 of 90 are there; 10 name A or B, of which 80 are there.
  const double pressure = (10.0 / 20 + 10.0 / 80) * 90 / 50;
  EXPECT_EQ(s.key(*gpu_pack()).at(0), ascending(0.3 * pressure * 1));
}

TEST(GpuPack, HowMuchPressureCostsIsConfigured) {
  scene s({{{10}, 10, 100, "A"}}, {{"gpu", 10}}, {{1, 10}, {1, 10, 0, "A"}});
  s.has({{"A", 20}});
  const double pressure = 10.0 / 20 * 20 / 20;
  EXPECT_EQ(s.key(*gpu_pack(R"({"pressure_part":2})")).at(0), ascending(2 * pressure * 1));
  EXPECT_EQ(s.key(*gpu_pack(R"({"pressure_part":0})")).at(0), ascending(0.0));
}

TEST(GpuPack, HowManyAsksMayFillADeviceIsConfigured) {
  // One of two asks is for a whole device: that the next one is has the chance 1/2.
  const double of_ten = 0.5 * 0 + 0.5 * 0.5 * 4 + 0.5 * 0.5 * 10, of_four = 4;
  const scene whole({{{10}}}, {{"gpu", 6}}, {{1, 6}, {1, 10}});
  EXPECT_EQ(whole.key(*gpu_pack(R"({"asks_ahead":1})")).at(0), ascending(0.0 + (of_four / 10 - of_ten / 10)));
  for (const char *wrong : {R"({"asks_ahead":0})", R"({"asks_ahead":1.5})", R"({"asks_ahead":1001})"})
    EXPECT_ANY_THROW(gpu_pack(wrong)) << wrong;
}

TEST(GpuPack, AnotherTypeAndAnotherTagAreConfigured) {
  const auto p = gpu_pack(R"({"type":"vcore","model":"kind"})");
  std::vector<std::string> ids;
  for (const column_request &c : p->columns) ids.push_back(c.id);
  EXPECT_THAT(ids, ::testing::IsSupersetOf({"node.devices:vcore", "node.device_size:vcore", "node.attr:kind",
                                            "ask.devices:vcore", "shapes.tags:kind", "groups.values:kind",
                                            "groups.totals:kind"}));
}

TEST(GpuPack, WithoutDevicesToNodesWithout) {
  const scene s({{{10, 10}, 10, 12}, {{}, 0, 12}}, {{"vcore", 10}}, {{1, 10, 10}});
  EXPECT_EQ(s.order(*gpu_pack()), (order_of_nodes{1, 0}));
}

TEST(GpuPack, WhereTheDevicesAreMissingLast) {
  const scene s({{{9, 9}}, {{10, 9}}, {{}, 0}}, {{"gpu", 10}});
  EXPECT_EQ(s.order(*gpu_pack()), (order_of_nodes{2, 1, 0}));
  const scene odd({{{10, 10}}, {{15, 15}, 15}}, {{"gpu", 15}});
  EXPECT_EQ(odd.order(*gpu_pack()), (order_of_nodes{1, 0})) << "15 is no whole number of devices of 10";
  const scene halves({{{5, 4}}, {{5, 5}}}, {{"gpu", 10}}, {}, 2);
  EXPECT_EQ(halves.order(*gpu_pack()), (order_of_nodes{1, 0})) << "the tag wants two halves";
}

TEST(GpuPack, NewGenerationIsSeenByTheSameInstance) {
  const auto p = gpu_pack();
  scene s({{{6}}, {{8}}}, {{"gpu", 2}}, {{100, 3}});
  EXPECT_EQ(s.order(*p), (order_of_nodes{1, 0}));
  EXPECT_EQ(s.seen({{100, 4}}).order(*p), (order_of_nodes{0, 1}));
}

TEST(GpuPack, OrderOfShapesDoesNotMatter) {
  const std::vector<node> nodes{{{7, 10}, 10, 40, "A"}};
  scene s(nodes, {{"gpu", 3}, {"vcore", 7}}, {{3, 1, 3, "A"}, {7, 4, 9, "B"}, {11, 10, 5}});
  s.has({{"A", 20}, {"B", 7}});
  const auto key = s.key(*gpu_pack());
  EXPECT_EQ(s.seen({{11, 10, 5}, {7, 4, 9, "B"}, {3, 1, 3, "A"}}).key(*gpu_pack()), key);
}

TEST(GpuPack, AnyOrderAndAnySubsetSameKeys) {
  std::vector<node> nodes;
  for (int i = 0; i < 50; ++i) {
    nodes.push_back({{i % 11, (i * 7) % 11, 10 - i % 3}, i % 4 == 0 ? 0 : 10, i, i % 3 == 0 ? "A" : "B"});
  }
  scene s(nodes, {{"gpu", 2}, {"vcore", 5}}, {{3, 1, 3, "A"}, {7, 4, 9}, {11, 10, 5, "B"}});
  s.has({{"A", 20}, {"B", 7}});
  testing::expect_keys_of_items_alone(s.table(), *gpu_pack(), *gpu_pack());
}

}  // namespace
}  // namespace tenon
