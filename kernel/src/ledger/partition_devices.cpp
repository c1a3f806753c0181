// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Devices: what nodes divide, what asks want of it, and who holds which.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/devices.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::string partition::check_node_devices(texts attributes) {
  std::map<std::string_view, std::string_view> divided;  // by key; what is sent last counts
  for (const named_text &attribute : attributes) {
    if (devices_type(attribute.key)) divided[attribute.key] = attribute.value;
  }
  std::vector<named_amount> named;
  for (const auto &[key, value] : divided) {
    const std::string_view type = *devices_type(key);
    if (!is_device_type(type)) return messages::devices_type_invalid(key);
    if (!parse_device_split(value)) return messages::devices_malformed(key, value);
    named.push_back({type, 0});
  }
  resources ignored;
  return check_amounts(named, ignored);
}

std::string partition::check_ask_devices(texts tags, const resources &need, std::vector<class_devices> &out) const {
  for (const named_text &tag : tags) {
    const auto type_name = devices_type(tag.key);
    if (!type_name) continue;
    if (!is_device_type(*type_name)) return messages::devices_type_invalid(tag.key);
    const auto wanted = parse_device_split(tag.value);
    if (!wanted) return messages::devices_malformed(tag.key, tag.value);
    const type_index type = types.find(*type_name);
    const int64_t amount = type == no_type ? 0 : need[type];
    if (wanted->sum() != amount) return messages::devices_not_the_amount(*type_name, tag.value, amount);
    const auto at =
        std::lower_bound(out.begin(), out.end(), type, [](const class_devices &d, type_index t) { return d.type < t; });
    if (at == out.end() || at->type != type) out.insert(at, {type, wanted->count, wanted->amount});
  }
  return {};
}

std::string partition::check_detail(std::string_view key, std::string_view detail, const resources &need) const {
  const auto shares = parse_detail(detail);
  if (!shares) return messages::detail_malformed(key, detail);
  for (const device_share &share : *shares) {
    const type_index type = types.find(share.type);
    const int64_t amount = type == no_type ? 0 : need[type];
    if (share.split().sum() != amount) return messages::detail_not_the_amount(key, detail, share.type, amount);
  }
  return {};
}

void partition::set_devices(node &n) {
  std::vector<device_group> divided;
  for (auto at = n.attributes.lower_bound(devices_prefix); at != n.attributes.end(); ++at) {
    const auto type = devices_type(at->first);
    if (!type) break;
    const auto split = parse_device_split(at->second);
    device_group group{types.find(*type), std::string(*type), split->amount, {}, {}};
    group.free.assign(split->count, split->amount);
    group.ranked = group.free;
    divided.push_back(std::move(group));
  }
  if (divided.empty() && !n.divided) return;
  n.divided = !divided.empty();
  const uint64_t divided_before = nodes.devices().divided();
  apply(devices_set{n, std::move(divided)});
  const auto hold = [&](uint32_t record) {
    if (record == no_record) return;
    for (const held_devices &held : held_devices_of[record].held) apply(devices_held{n, held, 1});
  };
  for (const allocation *a : n.allocations) hold(a->devices);
  for (const allocation *a : n.foreign) hold(a->devices);
  for (const replacement *r : n.coming) hold(r->devices);
  if (nodes.devices().divided() == divided_before) return;
  // The orders know nothing yet of the sums of nodes that do not divide the type.
  sortings.for_each_order([](node_order &order) { order.touch_all(); });
}

void partition::assign_devices(uint32_t &record, const node &n, const ask_class &c, std::string_view detail,
                               bool choose) {
  uint64_t named = 0;
  const auto shares = parse_detail(detail);
  for (const device_share &share : *shares) {
    const type_index type = types.find(share.type);
    named |= uint64_t{1} << type;
    add_devices(record, n, {type, share.amount, share.devices});
  }
  for (const device_group &group : nodes.devices().of(n.slot)) {
    if (!choose || (c.types & ~named & uint64_t{1} << group.type) == 0) continue;
    const device_want want = want_of(c, group.type, group.size);
    const uint64_t devices = device_table::choose(group, want);
    if (devices != 0) add_devices(record, n, {group.type, want.amount, devices});
  }
  if (record != no_record) write_detail(held_devices_of[record]);
}

void partition::resize_devices(allocation &a, std::string_view detail) {
  const ask_class &c = classes[a.class_id];
  if (!detail.empty()) {
    free_devices(a.devices, a.where);
    return assign_devices(a.devices, *a.where, c, detail, false);
  }
  if (a.devices == no_record) return;
  held_list kept;
  for (held_devices held : held_devices_of[a.devices].held) {
    const int64_t amount = c.need[held.type], count = __builtin_popcountll(held.devices);
    if (amount <= 0 || amount % count != 0) continue;
    held.amount = amount / count;
    kept.push_back(held);
  }
  free_devices(a.devices, a.where);  // decisions may still show the old ones
  for (const held_devices &held : kept) add_devices(a.devices, *a.where, held);
  if (!kept.empty()) write_detail(held_devices_of[a.devices]);
}

void partition::add_devices(uint32_t &record, const node &n, const held_devices &held) {
  if (record == no_record) record = held_devices_of.create();
  held_devices_of[record].held.push_back(held);
  apply(devices_held{n, held, 1});
}

void partition::free_devices(uint32_t &record, const node *held_on) {
  if (record == no_record) return;
  for (const held_devices &held : held_devices_of[record].held) {
    if (held_on != nullptr) apply(devices_held{*held_on, held, -1});
  }
  held_devices_of.retire(record);
  record = no_record;
}

bool partition::take_over_devices(const ask_class &c, const allocation &placeholder, held_list &out) const {
  if (placeholder.devices == no_record) return true;
  for (const held_devices &held : held_devices_of[placeholder.devices].held) {
    const device_group *group = nodes.devices().find(placeholder.where->slot, held.type);
    if (group == nullptr || (c.types >> held.type & 1U) == 0) continue;
    const device_want want = want_of(c, held.type, group->size);
    if (want.count == 0 || want.amount > held.amount) return false;
    uint64_t taken = 0, left = held.devices;
    for (uint32_t i = 0; i < want.count; ++i, left &= left - 1) {
      if (left == 0) return false;
      taken |= left & -left;
    }
    out.push_back({held.type, want.amount, taken});
  }
  return true;
}

void partition::keep_devices(uint32_t &record, const held_list &devices) {
  if (devices.empty()) return;
  record = held_devices_of.create();
  held_devices_of[record].held = devices;
  write_detail(held_devices_of[record]);
}

std::vector<device_lack> partition::devices_lacking(const ask_class &c, uint32_t slot) const {
  std::vector<device_lack> out;
  for (const device_group &group : nodes.devices().of(slot)) {
    if ((c.types >> group.type & 1U) == 0) continue;
    const device_want want = want_of(c, group.type, group.size);
    if (want.fits(group.ranked)) continue;
    const auto enough = std::count_if(group.free.begin(), group.free.end(),
                                      [&](int64_t free) { return free >= want.amount && want.count != 0; });
    device_lack lack{group.type, static_cast<uint32_t>(group.free.size()), std::max(1U, want.count), 0, false};
    lack.missing = lack.wanted - std::min(lack.wanted, static_cast<uint32_t>(enough));
    lack.mendable = want.count != 0 && want.amount <= group.size && lack.has + lack.missing <= max_devices;
    out.push_back(lack);
  }
  return out;
}

// Were nothing of the scheduler's on the node.
bool partition::devices_hold(const node &n, const ask_class &c) const {
  if (!nodes.devices().concerns(c)) return true;
  std::vector<device_group> all = nodes.devices().of(n.slot);
  for (device_group &group : all) {
    std::fill(group.free.begin(), group.free.end(), group.size);
    group.rank();
  }
  device_room room;
  room.start(all, c.types);
  for (const allocation *a : n.foreign) {
    if (a->devices != no_record) room.take(held_devices_of[a->devices].held);
  }
  return room.fits(c);
}

bool partition::devices_hold_both(const node &n, const ask_class &c, const ask_class &other) const {
  if (!n.divided) return true;
  device_room room;
  room.start(nodes.devices().of(n.slot), c.types | other.types);
  room.place(c);
  return room.fits(other);
}

void partition::write_detail(device_record &record) const {
  std::sort(record.held.begin(), record.held.end(),
            [&](const held_devices &x, const held_devices &y) { return types.name(x.type) < types.name(y.type); });
  record.text.clear();
  for (const held_devices &held : record.held) {
    append_share(record.text, types.name(held.type), held.amount, held.devices);
  }
}

}  // namespace tenon::internal
