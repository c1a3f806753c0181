// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "lifecycle/foreign_allocations.hpp"

#include <memory>

#include "core.hpp"
#include "ledger/device_holdings.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "queueing/change_dispatcher.hpp"

namespace tenon::internal {

void foreign_allocations::add(node &n, const existing_allocation &e, const resources &need) {
  if (const auto found = foreign.find(e.ask.key); found != foreign.end()) remove(*found->second);
  allocation &a = allocations.create();
  a.foreign = true;
  a.foreign_key = std::make_unique<const std::string>(e.ask.key);
  a.where = &n;
  a.class_id = classifier.plain_class(need).id;
  a.priority = e.ask.priority;
  a.create_time_ms = shared.past_time(e.ask.create_time_ms);
  a.bind_time_ms = shared.now_ms;
  foreign.emplace(a.key(), &a);
  for (const named_text &tag : e.ask.tags) foreign_tags[std::string(a.key())].emplace_back(tag.key, tag.value);
  changes.apply(allocation_made{a, allocation_event::allocate});
  n.foreign.push_back(&a);
  if (!e.detail.empty()) holdings.assign(a.devices, n, classes[a.class_id], {e.detail}, false);
  changes.apply(occupied_by{n, need, 1});
  changes.apply(node_changed{n});
}

node *foreign_allocations::remove(std::string_view key) {
  const auto found = foreign.find(key);
  if (found == foreign.end()) return nullptr;
  node &n = *found->second->where;
  remove(*found->second);
  return &n;
}

void foreign_allocations::remove(allocation &a) {
  node &n = *a.where;
  forget(a, &n);
  std::erase(n.foreign, &a);
  changes.apply(occupied_by{n, classes[a.class_id].need, -1});
  changes.apply(node_changed{n});
}

void foreign_allocations::remove_with(const node &n) {
  for (allocation *a : n.foreign) forget(*a, nullptr);
}

// `held_on`: null where its node goes.
void foreign_allocations::forget(allocation &a, const node *held_on) {
  const auto how = held_on == nullptr ? allocation_event::node_removed : allocation_event::release;
  changes.apply(allocation_leaving{a, how});
  foreign.erase(a.key());
  if (const auto found = foreign_tags.find(a.key()); found != foreign_tags.end()) foreign_tags.erase(found);
  holdings.free(a.devices, held_on);
  allocations.retire(a);
  changes.apply(allocation_ended{a, how});
}

}  // namespace tenon::internal
