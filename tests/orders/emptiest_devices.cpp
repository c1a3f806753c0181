// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// emptiest-devices: nodes whose devices have the most free, and of these devices the emptiest. The oracle knows it by
// itself. By what all devices have free in sum it leaves the choice now and then, or names what cannot be had.
#include <algorithm>
#include <utility>
#include <vector>

#include "tenon/sdk/sort_policy.hpp"

namespace tenon::testing {
namespace {

using namespace tenon::sdk;

struct emptiest_devices {
  static constexpr std::string_view name = "emptiest-devices";
  static constexpr std::tuple columns{resources_column{"ask.resources", scope::context},
                                      number_column{"ask.devices:gpu", scope::context},
                                      numbers_column{"node.devices:gpu"}, number_column{"node.device_size:gpu"},
                                      number_column{"score.devices:gpu", scope::context}};

  void begin(const auto &nodes) {
    for (; types_seen_ < nodes.type_count(); ++types_seen_) {
      if (nodes.type_name(types_seen_) == "gpu") gpu_ = types_seen_;
    }
  }
  uint64_t key(const auto &node) const { return score(node).key; }
  with_devices<uint64_t> score(const auto &node) const {
    const auto [ask, tagged, devices, size, chooses] = node.values();
    int64_t sum = 0;
    for (const int64_t free : devices) {
      if (__builtin_add_overflow(sum, std::max<int64_t>(0, free), &sum)) sum = INT64_MAX;
    }
    return {descending(sum), chooses == 0 || size == 0 ? 0 : choose(devices, size, ask[gpu_], tagged, sum % 7)};
  }

 private:
  static uint64_t choose(std::span<const int64_t> devices, int64_t size, int64_t amount, int64_t tagged, int64_t how) {
    const int64_t count = tagged != 0 ? tagged : std::max<int64_t>(1, amount / size);
    if (how == 3 || amount <= 0) return 0;
    std::vector<std::pair<int64_t, int64_t>> all;  // what is free, number
    for (size_t i = 0; i < devices.size(); ++i) {
      const bool fits = devices[i] >= amount / count || how == 6;
      if (fits) all.emplace_back(devices[i], static_cast<int64_t>(i));
    }
    if (how != 6) std::sort(all.rbegin(), all.rend());
    if (how != 5) all.resize(std::min(all.size(), static_cast<size_t>(count)));
    uint64_t out = 0;
    for (const auto &[free, number] : all) out |= uint64_t{1} << number;
    return out;
  }

  uint32_t types_seen_ = 0;
  uint32_t gpu_ = TENON_MAX_TYPES;
};

}  // namespace
}  // namespace tenon::testing

TENON_MODULE(tenon::sdk::node_sort<tenon::testing::emptiest_devices>)
