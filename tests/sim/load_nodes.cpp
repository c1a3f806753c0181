// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Nodes that come, change and go.
#include <utility>

#include "load.hpp"
#include "tenon/kernel/states.hpp"

namespace tenon::sim {

std::string load::some_node(const partition_snapshot &p) {
  if (p.nodes.empty() || random_.percent(3)) return "node-" + std::to_string(random_.between(1, 40));
  return random_.one_of(p.nodes).id;
}

std::string load::a_late_type() { return "late-" + std::to_string(random_.between(1, 1 + next_name_ / 8)); }

amount_map load::some_capacity() {
  amount_map out{{"vcore", random_.between(2, 16)}};
  if (random_.percent(90)) out["memory"] = random_.between(2, 16) * 10;
  if (random_.percent(15)) out["gpu"] = random_.between(0, 4);
  if (profile_.late_types) {
    for (int64_t more = random_.between(0, 4); more > 0; --more) out[a_late_type()] = random_.between(2, 8);
  }
  if (profile_.odd && random_.percent(2)) out["memory"] = random_.between(-1, 0);
  return enlarged(std::move(out));
}

// A capacity that its devices have, mostly.
void load::divide(amount_map &capacity, std::map<std::string, std::string> &attributes) {
  if (!profile_.devices) return;
  if (random_.percent(75)) {
    const int64_t count = random_.between(1, 4), size = random_.between(1, 2) * 2;
    attributes["tenon/devices/gpu"] = std::to_string(count) + 'x' + std::to_string(size);
    if (random_.percent(90)) capacity["gpu"] = count * size;
  } else {
    capacity["gpu"] = random_.between(0, 9);
  }
  if (random_.percent(75)) attributes["si/gpu-model"] = random_.one_of({"A", "B", "C"});
  if (random_.percent(15)) attributes["tenon/devices/memory"] = random_.one_of({"2x40", "3x30", "8x10"});
  if (profile_.odd && random_.percent(3)) {
    attributes[random_.one_of({"tenon/devices/gpu", "tenon/devices/", "tenon/devices/a=b", "tenon/devices/new"})] =
        random_.one_of({"", "x", "0x4", "4x0", "65x1", "4X4", "04x4", "1x9223372036854775808", "2x2", "2x2 "});
  }
}

std::map<std::string, std::string> load::node_attributes() {
  std::map<std::string, std::string> out;
  if (random_.percent(80)) out["si/zone"] = random_.one_of({"a", "b"});
  if (out.contains("si/zone") && out["si/zone"] == "b") out["si/instance-type"] = "large";
  if (profile_.odd && random_.percent(5))
    out["si/node-partition"] = random_.one_of({"default", "[rm]default", "gpu", ""});
  return out;
}

command load::a_new_node(const partition_snapshot &p) {
  add_node c;
  c.partition = own_->text(profile_.odd && random_.percent(3) ? "nowhere" : p.name);
  c.node = own_->text(profile_.odd && random_.percent(5) ? some_node(p) : "node-" + std::to_string(next_name_++));
  amount_map capacity = some_capacity();
  auto attributes = node_attributes();
  divide(capacity, attributes);
  c.capacity = own_->resources(capacity);
  if (random_.percent(15)) c.occupied = own_->resources(enlarged({{"vcore", random_.between(0, 4)}}));
  c.attributes = own_->tags(attributes);
  c.schedulable = random_.percent(90);
  if (profile_.recovery && random_.percent(40)) {
    std::vector<existing_allocation> existing;
    const int64_t count = random_.between(1, 3);
    for (int64_t i = 0; i < count; ++i) existing.push_back(make_existing(p));
    c.existing = own_->existing(std::move(existing));
  }
  return c;
}

command load::a_node_update(const partition_snapshot &p) {
  update_node c;
  c.partition = own_->text(p.name);
  c.node = own_->text(some_node(p));
  c.has_capacity = random_.percent(60);
  amount_map capacity = some_capacity();
  auto attributes = node_attributes();
  divide(capacity, attributes);
  if (c.has_capacity) c.capacity = own_->resources(capacity);
  c.has_occupied = random_.percent(30);
  if (c.has_occupied)
    c.occupied = own_->resources(enlarged({{"vcore", random_.between(0, 6)}, {"memory", random_.between(0, 30)}}));
  c.has_attributes = random_.percent(30);
  if (c.has_attributes) c.attributes = own_->tags(attributes);
  return c;
}

command load::a_node_change(const partition_snapshot &p) {
  const int64_t draw = random_.between(0, 99);
  auto event = draw < 35 ? node_event::drain : draw < 70 ? node_event::undrain : node_event::decommission;
  if (profile_.odd && random_.percent(3)) event = node_event::create;
  return change_node{own_->text(p.name), own_->text(some_node(p)), static_cast<uint8_t>(event), random_.percent(30)};
}

}  // namespace tenon::sim
