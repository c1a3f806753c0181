// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Nodes that have devices: what each of them has free, and which allocations hold it.
#include <charconv>
#include <map>
#include <optional>

#include "handlers.hpp"
#include "paging.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

struct type_of_node {
  int64_t amount = 0;  // of each device
  json::array free, held;
};
using types_of_node = std::map<std::string, type_of_node, std::less<>>;

constexpr std::string_view attribute_prefix = "tenon/devices/";

std::optional<int64_t> number_at_start(std::string_view &text) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return out;
}

// "gpu: 1000 500": what each device has free.
void read_free(std::string_view listed, types_of_node &types) {
  const size_t colon = listed.rfind(':');
  if (colon == std::string_view::npos) return;
  type_of_node &type = types[std::string(listed.substr(0, colon))];
  listed.remove_prefix(colon + 1);
  while (listed.starts_with(' ')) {
    listed.remove_prefix(1);
    const auto free = number_at_start(listed);
    if (!free) return;
    type.free.emplace_back(*free);
  }
}

// The attribute "tenon/devices/gpu" is "8x1000".
void read_amounts(const tenon_rm_pairs &attributes, types_of_node &types) {
  for (uint64_t i = 0; i < attributes.count; ++i) {
    const std::string_view key = view(attributes.names[i]);
    std::string_view value = view(attributes.values[i]);
    if (!key.starts_with(attribute_prefix)) continue;
    const auto type = types.find(key.substr(attribute_prefix.size()));
    if (type == types.end() || !number_at_start(value) || !value.starts_with('x')) continue;
    value.remove_prefix(1);
    type->second.amount = number_at_start(value).value_or(0);
  }
}

// One part of what an allocation holds, "gpu=500@0,3;fpga=1@2".
void read_share(std::string_view share, const tenon_view_allocation &of, types_of_node &types) {
  const size_t equals = share.rfind('=');
  if (equals == std::string_view::npos) return;
  const auto type = types.find(share.substr(0, equals));
  share.remove_prefix(equals + 1);
  const auto amount = number_at_start(share);
  if (type == types.end() || !amount) return;
  json::array devices;
  while (share.starts_with('@') || share.starts_with(',')) {
    share.remove_prefix(1);
    const auto device = number_at_start(share);
    if (!device) return;
    devices.emplace_back(*device);
  }
  type->second.held.push_back(json::object{{"applicationID", view(of.application)},
                                           {"allocationKey", view(of.key)},
                                           {"amount", *amount},
                                           {"devices", std::move(devices)}});
}

json::object devices_json(const tenon_view_node &n) {
  types_of_node types;
  for (uint64_t i = 0; i < n.devices.count; ++i) read_free(view(n.devices.texts[i]), types);
  read_amounts(n.attributes, types);
  for (uint64_t i = 0; i < n.allocation_count; ++i) {
    std::string_view all = view(n.allocations[i]->devices);
    while (!all.empty()) {
      const size_t end = std::min(all.find(';'), all.size());
      read_share(all.substr(0, end), *n.allocations[i], types);
      all.remove_prefix(std::min(end + 1, all.size()));
    }
  }
  json::array devices;
  for (auto &[type, one] : types) {
    devices.push_back(json::object{
        {"type", type}, {"amount", one.amount}, {"free", std::move(one.free)}, {"held", std::move(one.held)}});
  }
  return {{"nodeID", view(n.id)},
          {"schedulable", (n.flags & TENON_VIEW_SCHEDULABLE) != 0},
          {"devices", std::move(devices)}};
}

}  // namespace

answer get_devices(const context &c) {
  page out(c.asked, "DeviceNode");
  const partition_view p(c.use, c.asked.parameter("partition"),
                         TENON_READ_NODES | TENON_READ_APPLICATIONS | TENON_READ_ALLOCATIONS);
  for (const auto &n : listed<tenon_view_node>(p->nodes)) {
    if (n.devices.count != 0 && out.wants(view(n.id))) out.add(devices_json(n));
    if (out.full()) break;
  }
  return out.take();
}

}  // namespace tenon::rest
