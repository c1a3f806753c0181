// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Fills devices up, keeps whole ones whole, and leaves no device behind without what it needs beside it.
// The key is docs/decisions-devices.md, section 7.
#include "stranding.hpp"

namespace device_packing_module {

using namespace tenon::sdk;

struct device_packing {
  static constexpr std::string_view name = "device-packing";
  using words = std::array<uint64_t, 4>;

  explicit device_packing(const config &settings)
      : type_(settings.text("type", "gpu")), weights_(parts_expected(settings)) {}

  std::tuple<resources_column, resources_column, numbers_column, number_column, resources_column, number_column>
  columns() const {
    return {{"node.free"},
            {"node.total"},
            {devices_},
            {device_size_},
            {"ask.resources", scope::context},
            {wanted_, scope::context}};
  }

  void begin(const auto &nodes) {
    weights_.follow(nodes);
    for (; types_seen_ < nodes.type_count(); ++types_seen_) {
      if (nodes.type_name(types_seen_) == type_) index_ = types_seen_;
    }
  }

  words key(const auto &node) const { return score(node); }

  words score(const auto &node) const {
    const auto [free, total, devices, size, ask, wanted] = node.values();
    if (size == 0) return {0, ascending(0.0), ascending(int64_t{0}), ascending(int64_t{0})};
    const taking t = take_for(devices, size, ask[index_], wanted);
    if (!t.possible) return {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    int64_t left = 0;
    for (const int64_t one : devices) left = add_saturating(left, std::max<int64_t>(0, one));
    const surroundings around{free, total, multiply_saturating(static_cast<int64_t>(devices.size()), size)};
    const double before = stranded(left, around, amounts(), weights_);
    const double after = stranded(add_saturating(left, -t.taken), around, ask, weights_);
    return {static_cast<uint64_t>(t.opened), ascending(after - before), ascending(t.remainder), ascending(left)};
  }

 private:
  const std::string type_, devices_ = "node.devices:" + type_, device_size_ = "node.device_size:" + type_,
                           wanted_ = "ask.devices:" + type_;
  type_weights weights_;
  uint32_t types_seen_ = 0;
  uint32_t index_ = TENON_MAX_TYPES;  // of the type; beyond all: nobody has named it yet
};

}  // namespace device_packing_module

TENON_MODULE(tenon::sdk::node_sort<device_packing_module::device_packing>)
