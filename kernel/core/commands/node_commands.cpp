// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/node_commands.hpp"

#include <algorithm>
#include <map>

#include "base/names_beside.hpp"
#include "commands/application_intake.hpp"
#include "ledger/device_holdings.hpp"
#include "lifecycle/allocation_states.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/foreign_allocations.hpp"
#include "lifecycle/queue_tree.hpp"
#include "lifecycle/resource_intake.hpp"
#include "outbound/decision_teller.hpp"
#include "outbound/fact_teller.hpp"
#include "queueing/change_dispatcher.hpp"
#include "rules/placement_checks.hpp"
#include "rules/proposals.hpp"
#include "rules/replacements.hpp"
#include "rules/reservations.hpp"
#include "rules/unfit_placements.hpp"
#include "tenon/kernel/devices.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

void node_commands::refuse(const decided_what &what, std::string_view node_id) {
  decisions.emit(what).node = decisions.keep(std::string(node_id));
}

void node_commands::refuse_update(std::string why, std::string_view node_id) {
  const std::string_view kept = decisions.keep(std::move(why));
  facts.tell_rejected(fact_kind::node_update_rejected, node_id, kept);
  refuse(decided::node_update_rejected{kept}, node_id);
}

std::string node_commands::check_node_devices(texts attributes) const {
  std::map<std::string_view, std::string_view> divided;  // by key; what is sent last counts
  for (const named_text &attribute : attributes) {
    if (devices_type(attribute.key)) divided[attribute.key] = attribute.value;
  }
  std::vector<named_amount> named;
  for (const auto &[key, value] : divided) {
    const std::string_view type = *devices_type(key);
    if (!is_device_type(type)) return messages::devices_type_invalid(key);
    if (!parse_device_split(value)) return messages::devices_malformed(key, value);
    named.push_back({type, 1});
  }
  resources ignored;
  return intake.check_amounts({{named, ignored}});
}

std::string node_commands::check(const tenon::add_node &c, node_terms &out) const {
  if (of.state == object_state::draining) return messages::node_to_draining_partition(of.name, c.node);
  if (c.node.empty()) return messages::node_without_id();
  if (nodes.find(c.node) != nullptr) return messages::node_exists(of.name, c.node);
  std::string problem = intake.check_amounts({{c.capacity, out.capacity}, {c.occupied, out.occupied}});
  if (problem.empty()) problem = check_node_devices(c.attributes);
  if (problem.empty()) problem = check_total(out.capacity, nullptr);
  out.capacity.prune();
  out.occupied.prune();
  return problem;
}

// "" or of which type all nodes together would have too much, where the node `n` has these capacities.
std::string node_commands::check_total(const resources &capacity, const node *n) const {
  return intake.check_sum(capacity, 1,
                          [&](type_index t) { return sub_saturating(total[t], n == nullptr ? 0 : n->capacity[t]); });
}

// "" or why what runs on it cannot be taken over: then nothing stays of the applications that were made for it.
std::string node_commands::admit_existing(const tenon::add_node &c, node_terms &terms) {
  std::vector<ask_terms> &out = terms.existing;
  out.resize(c.existing.size());
  existing_sums sums{terms.occupied, {}};
  for (size_t i = 0; i < c.existing.size(); ++i) {
    const std::string problem = asks.admit(c.existing[i], nullptr, sums, out[i]);
    if (problem.empty()) continue;
    for (size_t made = 0; made < i; ++made) applications.forget_unused_independent(c.existing[made]);
    return messages::node_allocation_not_restored(c.existing[i].ask.key, problem);
  }
  return {};
}

void node_commands::obey(const tenon::add_node &c) {
  node_terms terms;
  std::string problem = check(c, terms);
  if (problem.empty()) problem = admit_existing(c, terms);
  if (!problem.empty()) {
    const std::string_view why = decisions.keep(messages::node_rejected(problem));
    facts.tell_rejected(fact_kind::node_rejected, c.node, why);
    return refuse(decided::node_rejected{why}, c.node);
  }
  node &n = nodes.add(c.node);
  changes.apply(capacity_set{n, terms.capacity});
  changes.apply(occupied_set{n, terms.occupied});
  changes.apply(attributes_set{n, c.attributes});
  const bool schedulable = c.schedulable && !of.stops.nodes.contains(c.node);
  changes.apply(node_moved{n, schedulable ? node_event::create : node_event::create_draining, n.state});
  changes.apply(node_stored{n});
  if (holdings.divide(n)) changes.apply(divided_types_changed{});
  queues.count_capacity(n.capacity, {});
  for (size_t i = 0; i < c.existing.size(); ++i) {
    const existing_allocation &e = c.existing[i];
    if (e.foreign) {
      foreign.add(n, e, terms.existing[i].need);
    } else {
      asks.add_existing(e, n, true, terms.existing[i]);
    }
  }
  changes.apply(node_changed{n});
}

std::string node_commands::check(const tenon::update_node &c, const node *n, node_terms &out) const {
  if (n == nullptr) return messages::node_not_found(c.node, names_beside(nodes.by_id(), c.node));
  std::string problem = intake.check_amounts({{c.has_capacity ? c.capacity : amounts{}, out.capacity},
                                              {c.has_occupied ? c.occupied : amounts{}, out.occupied}});
  if (problem.empty()) problem = check_total(out.capacity, n);
  if (problem.empty() && c.has_occupied) {
    resources foreign_ones;
    for (const allocation *a : n->foreign) foreign_ones += classes[a->class_id].need;
    problem = intake.check_sum(out.occupied, 1,
                               [&](type_index t) { return add_saturating(foreign_ones[t], n->allocated[t]); });
    out.occupied.prune();
    out.occupied += foreign_ones;
  }
  if (!problem.empty()) return problem;
  out.capacity.prune();
  if (!c.has_attributes) return {};
  for (const named_text &attribute : c.attributes) {
    if (attribute.key != "si/node-partition" || attribute.value.empty()) continue;
    if (attribute.value != of.name && attribute.value != of.plain_name) {
      return messages::node_partition_changed(c.node, attribute.value);
    }
  }
  return check_node_devices(c.attributes);
}

void node_commands::obey(const tenon::update_node &c) {
  node *n = nodes.find(c.node);
  node_terms terms;
  std::string problem = check(c, n, terms);
  if (!problem.empty()) {
    return refuse_update(std::move(problem), c.node);
  }
  const resources before = n->capacity;
  if (c.has_capacity && terms.capacity != before) changes.apply(capacity_set{*n, terms.capacity});
  if (c.has_occupied && terms.occupied != *n->occupied) changes.apply(occupied_set{*n, terms.occupied});
  if (c.has_attributes) {
    changes.apply(attributes_set{*n, c.attributes});
    if (holdings.divide(*n)) changes.apply(divided_types_changed{});
  }
  if (c.has_capacity) queues.count_capacity(n->capacity, before);
  changes.apply(node_changed{*n});
  unfit.end_on(*n);
}

void node_commands::obey(const tenon::change_node &c) {
  node *n = nodes.find(c.node);
  const auto no = [&](std::string why) { refuse_update(std::move(why), c.node); };
  if (n == nullptr) return no(messages::node_not_found(c.node, names_beside(nodes.by_id(), c.node)));
  switch (const auto event = static_cast<node_event>(c.event)) {
    case node_event::drain:
    case node_event::undrain:
      if (!n->state.may(event)) return no(messages::node_not_draining(c.node));
      if (c.by_administrator && event == node_event::drain) of.stops.nodes.emplace(c.node);
      if (const auto drained = of.stops.nodes.find(c.node);
          event == node_event::undrain && drained != of.stops.nodes.end()) {
        if (!c.by_administrator) return no(messages::node_drained_by_administrator(c.node));
        of.stops.nodes.erase(drained);
      }
      changes.apply(node_moved{*n, event, n->state});
      break;
    case node_event::decommission:
      return decommission(*n);
    default:
      return no(messages::node_event_unknown(c.node));
  }
  changes.apply(node_changed{*n});
  unfit.end_on(*n);
}

void node_commands::decommission(node &n) {
  struct concern {
    application *app;
    bool real_went;
  };
  std::vector<concern> concerned;
  std::vector<replacement *> to_place;
  changes.apply(node_moved{n, node_event::decommission, n.state});
  changes.apply(node_stored{n});
  proposals.undo_on(n, {cause::node_removed, n.id}, false);
  checks.node_gone(n);
  while (!n.reservations->empty()) {
    reservations.unreserve(*n.reservations->front(), {cause::node_removed, n.id});
  }
  while (!n.coming->empty()) replacements.undo(*n.coming->back()->placeholder, true, &n);
  for (allocation *a : by_sequence(n.allocations)) {
    if (a->under_way != nullptr && a->under_way->where == &n) replacements.undo(*a, true, &n);
    if (a->under_way != nullptr) to_place.push_back(a->under_way);
    auto found =
        std::find_if(concerned.begin(), concerned.end(), [&](const concern &one) { return one.app == a->owner; });
    if (found == concerned.end()) found = concerned.insert(found, {a->owner, false});
    found->real_went |= !a->placeholder;
    changes.apply(allocation_dismissed{*a, termination::stopped_by_rm, {cause::node_removed, n.id}});
    allocations.remove_allocation(*a, allocation_event::node_removed);
  }
  foreign.remove_with(n);
  const resources capacity = n.capacity;
  const size_t most_reserved = reserved.most_nodes();
  changes.apply(node_removed{n});
  queues.count_capacity({}, capacity);
  for (replacement *r : to_place) {
    const allocation &x = replacements.place(*r);
    replacements.stand_in(x, r->terms);
  }
  std::sort(concerned.begin(), concerned.end(),
            [](const auto &x, const auto &y) { return x.app->submission < y.app->submission; });
  for (const auto &[app, real_went] : concerned) states.settle(*app, real_went);
  if (reserved.most_nodes() < most_reserved) reservations.end_too_many(reserved);
}

}  // namespace tenon::internal
