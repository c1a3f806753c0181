// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Nodes: registration with what runs on them, changes, draining and removal.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/devices.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

void partition::reject_node(const decided_what &what, std::string_view node_id) {
  decisions.emit(what).node = decisions.keep(std::string(node_id));
  const auto *refused = std::get_if<decided::node_rejected>(&what);
  if (refused != nullptr) facts.tell_node(fact_kind::node_rejected, node_id, nullptr, false, refused->words);
}

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

void partition::obey(const tenon::add_node &c) {
  const auto refuse = [&](const std::string &why) {
    reject_node(decided::node_rejected{decisions.keep(messages::node_rejected(why))}, c.node);
  };
  if (state == object_state::draining) return refuse(messages::node_to_draining_partition(name, c.node));
  if (c.node.empty()) return refuse(messages::node_without_id());
  if (nodes.find(c.node) != nullptr) return refuse(messages::node_exists(name, c.node));
  resources capacity, occupied;
  std::vector<named_amount> both(c.capacity.begin(), c.capacity.end());
  both.insert(both.end(), c.occupied.begin(), c.occupied.end());
  resources ignored;
  if (std::string problem = check_amounts(both, ignored); !problem.empty()) return refuse(problem);
  if (std::string problem = check_node_devices(c.attributes); !problem.empty()) return refuse(problem);
  (void)check_amounts(c.capacity, capacity);
  (void)check_amounts(c.occupied, occupied);
  capacity.prune();
  occupied.prune();
  std::vector<std::pair<resources, int32_t>> wanted(c.existing.size());
  for (size_t i = 0; i < c.existing.size(); ++i) {
    std::string problem = existing_problem(c.existing[i], nullptr, true, wanted[i].first, wanted[i].second);
    if (problem.empty()) continue;
    for (size_t made = 0; made < i; ++made) forget_unused_independent(c.existing[made]);
    return refuse(messages::node_allocation_not_restored(c.existing[i].ask.key, problem));
  }
  node &n = nodes.add(c.node);
  apply(capacity_set{n, capacity});
  apply(occupied_set{n, occupied});
  apply(node_moved{n, c.schedulable ? node_event::create : node_event::create_draining});
  set_attributes(n, c.attributes);
  keeps.add(n);
  decisions.emit(decided::node_accepted{}).node = n.id;
  facts.tell_node(fact_kind::node_added, n.id, &*n.capacity);
  if (!n.schedulable()) facts.tell_node(fact_kind::node_schedulable, n.id, nullptr, false);
  if (!n.occupied->empty()) facts.tell_node(fact_kind::node_occupied, n.id, &*n.occupied);
  apply(node_stored{n});
  holdings.divide(n);
  count_capacity(n.capacity, {});
  for (size_t i = 0; i < c.existing.size(); ++i) {
    const existing_allocation &e = c.existing[i];
    if (e.foreign) {
      add_foreign(n, e, wanted[i].first);
    } else {
      add_existing(e, n, true, wanted[i].first, wanted[i].second);
    }
  }
  apply(node_changed{n});
}

void partition::set_attributes(node &n, texts to) {
  touched(n, block_changed);
  n.attributes.clear();
  for (const named_text &attribute : to) n.attributes[std::string(attribute.key)] = attribute.value;
  const auto found = n.attributes.find("si/instance-type");
  n.instance_type = found == n.attributes.end() ? nullptr : &found->second;
}

void partition::obey(const tenon::update_node &c) {
  node *n = nodes.find(c.node);
  const auto refuse = [&](std::string why) {
    reject_node(decided::node_update_rejected{decisions.keep(std::move(why))}, c.node);
  };
  if (n == nullptr) return refuse(messages::node_not_found(c.node));
  std::vector<named_amount> both;
  if (c.has_capacity) both.insert(both.end(), c.capacity.begin(), c.capacity.end());
  if (c.has_occupied) both.insert(both.end(), c.occupied.begin(), c.occupied.end());
  resources ignored;
  if (std::string problem = check_amounts(both, ignored); !problem.empty()) return refuse(std::move(problem));
  if (c.has_attributes) {
    for (const named_text &attribute : c.attributes) {
      if (attribute.key != "si/node-partition" || attribute.value.empty()) continue;
      if (attribute.value != name && attribute.value != plain_name) {
        return refuse(messages::node_partition_changed(c.node, attribute.value));
      }
    }
    if (std::string problem = check_node_devices(c.attributes); !problem.empty()) return refuse(std::move(problem));
  }
  const resources before = n->capacity, occupied_before = n->occupied;
  if (c.has_capacity) {
    resources capacity;
    (void)check_amounts(c.capacity, capacity);
    capacity.prune();
    apply(capacity_set{*n, capacity});
  }
  if (c.has_occupied) {
    resources occupied;
    (void)check_amounts(c.occupied, occupied);
    occupied.prune();
    for (const allocation *a : n->foreign) occupied += classes[a->class_id].need;
    apply(occupied_set{*n, occupied});
  }
  if (c.has_attributes) {
    set_attributes(*n, c.attributes);
    keeps.recount(*n);
    holdings.divide(*n);
  }
  if (n->capacity != before) facts.tell_node(fact_kind::node_capacity, n->id, &*n->capacity);
  if (n->occupied != occupied_before) facts.tell_node(fact_kind::node_occupied, n->id, &*n->occupied);
  apply(node_stored{*n});
  if (c.has_capacity) count_capacity(n->capacity, before);
  checks.forget_on(*n);
  apply(node_changed{*n});
  reservations.check(*n);
}

void partition::obey(const tenon::change_node &c) {
  node *n = nodes.find(c.node);
  const auto refuse = [&](std::string why) {
    reject_node(decided::node_update_rejected{decisions.keep(std::move(why))}, c.node);
  };
  if (n == nullptr) return refuse(messages::node_not_found(c.node));
  const bool schedulable_before = n->schedulable();
  switch (const auto event = static_cast<node_event>(c.event)) {
    case node_event::drain:
    case node_event::undrain:
      if (!n->state.may(event)) return refuse(messages::node_not_draining(c.node));
      apply(node_moved{*n, event});
      break;
    case node_event::decommission:
      return decommission(*n);
    default:
      return refuse(messages::node_event_unknown(c.node));
  }
  if (n->schedulable() != schedulable_before)
    facts.tell_node(fact_kind::node_schedulable, n->id, nullptr, n->schedulable());
  checks.forget_on(*n);
  apply(node_changed{*n});
  reservations.check(*n);
}

void partition::decommission(node &n) {
  struct concern {
    application *app;
    bool real_went;
  };
  std::vector<concern> concerned;
  std::vector<replacement *> to_place;
  apply(node_moved{n, node_event::decommission});
  apply(node_stored{n});
  proposals.undo_on(n, {cause::node_removed, n.id}, false);
  checks.forget_on(n);
  while (!n.reservations.empty()) {
    reservations.unreserve(*n.reservations.front(), {cause::node_removed, n.id});
  }
  while (!n.coming.empty()) replacements.undo(*n.coming.back()->placeholder, true, &n);
  for (allocation *a : by_sequence(n.allocations)) {
    if (a->under_way != nullptr && a->under_way->where == &n) replacements.undo(*a, true, &n);
    if (a->under_way != nullptr) to_place.push_back(a->under_way);
    auto found =
        std::find_if(concerned.begin(), concerned.end(), [&](const concern &one) { return one.app == a->owner; });
    if (found == concerned.end()) found = concerned.insert(found, {a->owner, false});
    found->real_went |= !a->placeholder;
    decisions.emit_released(*a, termination::stopped_by_rm, {cause::node_removed, n.id});
    remove_allocation(*a, allocation_event::node_removed);
  }
  for (allocation *a : n.foreign) {
    if (facts.listened()) facts.tell(fact_kind::foreign_removed, *a, true);
    keeps.remove_foreign(*a);
    foreign.erase(a->key());
    foreign_tags.erase(a->key());
    holdings.free(a->devices, nullptr);
    allocations.retire(*a);
    apply(allocation_ended{*a, allocation_event::node_removed});
  }
  const uint32_t slot = n.slot;
  const resources capacity = n.capacity;
  facts.tell_node(fact_kind::node_removed, n.id, nullptr);
  touched(n, block_changed);
  keeps.remove(n);
  nodes.remove(n);
  verdicts.forget(slot);
  count_capacity({}, capacity);
  for (replacement *r : to_place) {
    const allocation &x = replacements.place(*r);
    replacements.stand_in(x, r->terms);
  }
  std::sort(concerned.begin(), concerned.end(),
            [](const auto &x, const auto &y) { return x.app->submission < y.app->submission; });
  for (const auto &[app, real_went] : concerned) settle(*app, real_went);
}

}  // namespace tenon::internal
