// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ledger/device_holdings.hpp"

#include <algorithm>

#include "ledger/change_writer.hpp"
#include "tenon/kernel/devices.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

std::string device_holdings::check_ask(texts tags, const resources &need, const resource_types &by_name,
                                       std::vector<class_devices> &out) {
  for (const named_text &tag : tags) {
    const auto type_name = devices_type(tag.key);
    if (!type_name) continue;
    if (!is_device_type(*type_name)) return messages::devices_type_invalid(tag.key);
    const auto wanted = parse_device_split(tag.value);
    if (!wanted) return messages::devices_malformed(tag.key, tag.value);
    const type_index type = by_name.find(*type_name);
    const int64_t amount = type == no_type ? 0 : need[type];
    if (wanted->sum() != amount) return messages::devices_not_the_amount(*type_name, tag.value, amount);
    const auto at =
        std::lower_bound(out.begin(), out.end(), type, [](const class_devices &d, type_index t) { return d.type < t; });
    if (at == out.end() || at->type != type) out.insert(at, {type, wanted->count, wanted->amount});
  }
  return {};
}

std::string device_holdings::check_detail(std::string_view key, std::string_view detail, const resources &need,
                                          const resource_types &by_name) {
  const auto shares = parse_detail(detail);
  if (!shares) return messages::detail_malformed(key, detail);
  for (const device_share &share : *shares) {
    const type_index type = by_name.find(share.type);
    const int64_t amount = type == no_type ? 0 : need[type];
    if (share.split().sum() != amount) return messages::detail_not_the_amount(key, detail, share.type, amount);
  }
  return {};
}

bool device_holdings::divide(node &n) {
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
  if (divided.empty() && !n.divided) return false;
  n.divided = !divided.empty();
  const uint64_t divided_before = nodes.devices().divided();
  changes.apply(devices_set{n, std::move(divided)});
  const auto hold = [&](uint32_t record) {
    if (record == no_record) return;
    for (const held_devices &held : records[record].held) changes.apply(devices_held{n, held, 1});
  };
  for (const allocation *a : n.allocations) hold(a->devices);
  for (const allocation *a : n.foreign) hold(a->devices);
  for (const replacement *r : n.coming) hold(r->devices);
  return nodes.devices().divided() != divided_before;
}

void device_holdings::assign(uint32_t &record, const node &n, const ask_class &c, const settled_devices &settled,
                             bool choose) {
  uint64_t named = 0;
  const auto shares = parse_detail(settled.detail);
  for (const device_share &share : *shares) {
    const type_index type = types.find(share.type);
    named |= uint64_t{1} << type;
    add(record, n, {type, share.amount, share.devices});
  }
  if (settled.chosen.type != no_type) {
    named |= uint64_t{1} << settled.chosen.type;
    add(record, n, settled.chosen);
  }
  for (const device_group &group : nodes.devices().of(n.slot)) {
    if (!choose || (c.types & ~named & uint64_t{1} << group.type) == 0) continue;
    const device_want want = want_of(c, group.type, group.size);
    const uint64_t devices = device_table::choose(group, want);
    if (devices != 0) add(record, n, {group.type, want.amount, devices});
  }
  if (record != no_record) write_text(records[record]);
}

void device_holdings::resize(allocation &a, std::string_view detail) {
  const ask_class &c = classes[a.class_id];
  if (!detail.empty()) {
    free(a.devices, a.where);
    return assign(a.devices, *a.where, c, {detail}, false);
  }
  if (a.devices == no_record) return;
  held_list kept;
  for (held_devices held : records[a.devices].held) {
    const int64_t amount = c.need[held.type], count = __builtin_popcountll(held.devices);
    if (amount <= 0 || amount % count != 0) continue;
    held.amount = amount / count;
    kept.push_back(held);
  }
  free(a.devices, a.where);  // decisions may still show the old ones
  for (const held_devices &held : kept) add(a.devices, *a.where, held);
  if (!kept.empty()) write_text(records[a.devices]);
}

void device_holdings::add(uint32_t &record, const node &n, const held_devices &held) {
  if (record == no_record) record = records.create();
  records[record].held.push_back(held);
  changes.apply(devices_held{n, held, 1});
}

void device_holdings::count(const allocation &a, int sign) {
  if (a.devices == no_record) return;
  for (const held_devices &held : records[a.devices].held) changes.apply(devices_held{*a.where, held, sign});
}

void device_holdings::free(uint32_t &record, const node *held_on) {
  if (record == no_record) return;
  for (const held_devices &held : records[record].held) {
    if (held_on != nullptr) changes.apply(devices_held{*held_on, held, -1});
  }
  records.retire(record);
  record = no_record;
}

bool device_holdings::take_over(const ask_class &c, const allocation &placeholder, held_list &out) const {
  if (placeholder.devices == no_record) return true;
  for (const held_devices &held : records[placeholder.devices].held) {
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

void device_holdings::keep(uint32_t &record, const held_list &devices) {
  if (devices.empty()) return;
  record = records.create();
  records[record].held = devices;
  write_text(records[record]);
}

// Were nothing of the scheduler's on the node.
bool device_holdings::hold_for(const node &n, const ask_class &c) const {
  if (!nodes.devices().concerns(c)) return true;
  std::vector<device_group> all = nodes.devices().of(n.slot);
  for (device_group &group : all) {
    std::fill(group.free.begin(), group.free.end(), group.size);
    group.rank();
  }
  free_devices room;
  room.start(all, c.types);
  for (const allocation *a : n.foreign) {
    if (a->devices != no_record) room.take(records[a->devices].held);
  }
  return room.fits(c);
}

bool device_holdings::hold_both(const node &n, const ask_class &c, const ask_class &other) const {
  if (!n.divided) return true;
  free_devices room;
  room.start(nodes.devices().of(n.slot), c.types | other.types);
  room.place(c);
  return room.fits(other);
}

void device_holdings::write_text(device_record &record) const {
  std::sort(record.held.begin(), record.held.end(),
            [&](const held_devices &x, const held_devices &y) { return types.name(x.type) < types.name(y.type); });
  record.text.clear();
  for (const held_devices &held : record.held) {
    append_share(record.text, types.name(held.type), held.amount, held.devices);
  }
}

}  // namespace tenon::internal
