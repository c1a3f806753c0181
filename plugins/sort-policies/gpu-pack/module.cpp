// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Leaves behind what the asks that come can use. The key is docs/decisions-devices.md, section 8.
#include "foresight.hpp"
#include "gpu_columns.hpp"

namespace gpu_pack_module {

using namespace tenon::sdk;

struct gpu_pack {
  static constexpr std::string_view name = "gpu-pack";
  using words = std::array<uint64_t, 3>;

  explicit gpu_pack(const config &settings)
      : names_(settings),
        ahead_(names_.divided(), parts_expected(settings), settings.whole("asks_ahead", 40, 1, 1000)),
        pressure_part_(settings.number("pressure_part", 0.3)) {}

  auto columns() const { return names_.columns(); }

  void begin(const auto &nodes) {
    ahead_.look(generation_in(nodes.context()), nodes);
    for (uint32_t i = 0; i < nodes.size(); ++i) ahead_.expect_size(nodes[i].template get<2>());
  }

  words key(const auto &node) const { return score(node); }

  words score(const auto &node) const {
    const auto free = node.template get<0>(), ask = node.template get<4>();
    const auto devices = node.template get<1>();
    const int64_t size = node.template get<2>(), amount = std::max<int64_t>(0, ask[ahead_.device()]);
    if (size <= 0) return {ascending(0.0), ascending(int64_t{0}), ascending(int64_t{0})};
    const auto wanted = devices_for(amount, node.template get<5>(), size);
    taken_devices taken;
    if (!wanted || !taken.take(devices, *wanted)) return {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const int64_t left = sum_of(devices);
    const auto size_of_one = static_cast<double>(size);
    double cost = wanted->each < size ? ahead_.wasted(taken.free(), wanted->each, size) : 0;
    cost += pressure_part_ * ahead_.pressure(node.template get<3>()) * (static_cast<double>(amount) / size_of_one);
    cost += (ahead_.stranded(add_saturating(left, -amount), free, ask) - ahead_.stranded(left, free, {})) / size_of_one;
    const int64_t remainder = wanted->count == 0 ? 0 : taken.free().front() - wanted->each;
    return {ascending(cost), ascending(remainder), ascending(left)};
  }

 private:
  column_names names_;
  foresight ahead_;
  double pressure_part_;  // of a device that others need who can have no other
};

}  // namespace gpu_pack_module

TENON_MODULE(tenon::sdk::node_sort<gpu_pack_module::gpu_pack>)
