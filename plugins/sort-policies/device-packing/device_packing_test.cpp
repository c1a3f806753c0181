// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/sdk/keys.hpp"
#include "tenon/testing/properties.hpp"

namespace tenon {
namespace {

using sdk::ascending;
using testing::bound;
using testing::policy_table;

std::unique_ptr<bound_policy> packing(std::string_view configuration = "{}") {
  return bound(module_kind::node_sort, "device-packing", configuration);
}

struct node {
  std::vector<int64_t> devices;  // what each has free
  int64_t size = 4;              // 0: not divided
  int64_t vcore = 100, free_vcore = 100;
};

// The nodes and an ask for them.
class scene {
 public:
  scene(const std::vector<node> &nodes, const policy_table::amounts &ask, int64_t wanted = 0,
        const std::string &type = "gpu")
      : table_({"vcore", "gpu", type}) {
    std::vector<policy_table::amounts> total, free;
    std::vector<std::vector<int64_t>> devices;
    std::vector<int64_t> sizes;
    for (const node &n : nodes) {
      total.push_back({{"vcore", n.vcore}});
      free.push_back({{"vcore", n.free_vcore}});
      devices.push_back(n.devices);
      sizes.push_back(n.size);
    }
    table_.resources("node.total", total).resources("node.free", free);
    table_.lists("node.devices:" + type, devices).numbers("node.device_size:" + type, sizes);
    table_.resources("ask.resources", {ask}).numbers("ask.devices:" + type, {wanted});
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
  policy_table table_;
};

using order_of_nodes = std::vector<uint32_t>;

TEST(DevicePacking, ABrokenDeviceBeforeAWholeOne) {
  const scene s({{{4, 4}}, {{3, 4}}}, {{"gpu", 1}});
  EXPECT_EQ(s.order(*packing()), (order_of_nodes{1, 0}));
}

TEST(DevicePacking, TheSmallestRestOnADevice) {
  const scene s({{{3, 0}}, {{2, 4}}, {{1, 4}}}, {{"gpu", 1}});
  EXPECT_EQ(s.order(*packing()), (order_of_nodes{2, 1, 0}));
}

TEST(DevicePacking, TheFullestNodeOfEquals) {
  const scene s({{{1, 4, 4}}, {{1, 4, 0}}}, {{"gpu", 1}});
  EXPECT_EQ(s.order(*packing()), (order_of_nodes{1, 0}));
}

TEST(DevicePacking, ManyCoresGoWhereCoresArePlenty) {
  const scene s({{{4, 4}, 4, 100, 100}, {{4, 4}, 4, 500, 500}}, {{"gpu", 4}, {"vcore", 90}});
  EXPECT_EQ(s.order(*packing()), (order_of_nodes{1, 0})) << "10 cores of 100 are no longer enough for a device";
}

TEST(DevicePacking, WithoutDevicesToNodesWithout) {
  const scene s({{{4, 4}, 4, 100, 30}, {{}, 0, 100, 30}}, {{"vcore", 10}});
  EXPECT_EQ(s.order(*packing()), (order_of_nodes{1, 0}));
}

TEST(DevicePacking, WhereTheDevicesAreMissingLast) {
  const scene s({{{3, 3}}, {{4, 3}}, {{}, 0}}, {{"gpu", 4}});
  EXPECT_EQ(s.order(*packing()), (order_of_nodes{2, 1, 0}));
  const scene odd({{{4, 4}}, {{6, 6}, 6}}, {{"gpu", 6}});
  EXPECT_EQ(odd.order(*packing()), (order_of_nodes{1, 0})) << "6 is no whole number of devices of 4";
}

TEST(DevicePacking, KeyHasFourNumbers) {
  // 3 of 8 are free on devices and 20 of 100 cores, which serve 20 * 8 / (0.8 * 100) = 2 of them; 1 of 2 afterwards.
  const scene s({{{3, -1}, 4, 100, 20}}, {{"gpu", 1}, {"vcore", 10}});
  EXPECT_EQ(s.key(*packing()),
            (std::vector<uint64_t>{0, ascending(0.0), ascending(int64_t{2}), ascending(int64_t{3})}));
  // Two of two devices are broken; 0 stranded before and 2 - 0 afterwards.
  const scene two({{{4, 4, 4}, 4, 120, 120}}, {{"gpu", 4}, {"vcore", 120}}, 2);
  EXPECT_EQ(two.key(*packing()),
            (std::vector<uint64_t>{2, ascending(8.0), ascending(int64_t{2}), ascending(int64_t{12})}));
}

TEST(DevicePacking, WeightsSayWhatADeviceNeeds) {
  const scene s({{{4, 4}, 4, 100, 20}}, {{"gpu", 4}});
  EXPECT_EQ(s.key(*packing(R"({"resourceweights":{"vcore":0.5}})")).at(1), ascending(0.8 - 4.8));
  EXPECT_EQ(s.key(*packing(R"({"resourceweights":{"vcore":0}})")).at(1), ascending(0.0));
  EXPECT_EQ(s.key(*packing(R"({"resourceweights":{}})")).at(1), ascending(2.0 - 6.0));
}

TEST(DevicePacking, AnotherTypeIsConfigured) {
  const scene s({{{4, 4}}, {{3, 4}}}, {{"nvidia.com/gpu", 1}}, 0, "nvidia.com/gpu");
  EXPECT_EQ(s.order(*packing(R"({"type":"nvidia.com/gpu"})")), (order_of_nodes{1, 0}));
}

TEST(DevicePacking, AnyOrderAndAnySubsetSameKeys) {
  std::vector<node> nodes;
  for (int i = 0; i < 50; ++i) {
    nodes.push_back({{i % 5, (i * 7) % 5, 4 - i % 3}, i % 4 == 0 ? 0 : 4, 100, i});
  }
  const scene s(nodes, {{"gpu", 2}, {"vcore", 5}});
  testing::expect_keys_of_items_alone(s.table(), *packing(), *packing());
}

}  // namespace
}  // namespace tenon
