// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Nodes.
#include <algorithm>
#include <iterator>
#include <set>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::naive {
namespace {

std::map<std::string, std::string> to_texts(texts from) {
  std::map<std::string, std::string> out;
  for (const named_text &item : from) out[std::string(item.key)] = item.value;
  return out;
}

std::string problem_of_divisions(const std::map<std::string, std::string> &attributes) {
  for (const auto &[key, value] : attributes) {
    if (std::string why = problem_of_division(key, value); !why.empty()) return why;
  }
  return {};
}

std::vector<std::string> divided_types(const std::map<std::string, std::string> &attributes) {
  std::vector<std::string> out;
  for (const auto &[type, by] : divisions_in(attributes)) out.push_back(type);
  return out;
}

}  // namespace

// Up to four before and four behind the place of the id among all ids.
std::vector<std::string_view> partition::near_nodes(const std::string &id) const {
  std::vector<std::string_view> before, out;
  for (const auto &[known, n] : nodes) {
    if (known < id) before.push_back(known);
  }
  out.assign(before.end() - static_cast<std::ptrdiff_t>(std::min<size_t>(before.size(), 4)), before.end());
  for (auto next = nodes.lower_bound(id); next != nodes.end() && std::distance(nodes.lower_bound(id), next) < 4; ++next)
    out.push_back(next->first);
  return out;
}

std::string partition::problem_of(const tenon::add_node &c) {
  const std::string id(c.node);
  if (state == object_state::draining) return messages::node_to_draining_partition(name, id);
  if (id.empty()) return messages::node_without_id();
  if (nodes.contains(id)) return messages::node_exists(name, id);
  if (std::string why = problem_of_amounts({c.capacity, c.occupied}); !why.empty()) return why;
  if (std::string why = intern(names_in({c.capacity, c.occupied})); !why.empty()) return why;
  const auto attributes = to_texts(c.attributes);
  if (std::string why = problem_of_divisions(attributes); !why.empty()) return why;
  if (std::string why = intern(divided_types(attributes)); !why.empty()) return why;
  if (std::string why = problem_of_capacity(id, to_map(c.capacity)); !why.empty()) return why;
  existing_sums before{{}, reported_together()};
  add(before.on_node, to_map(c.occupied));
  for (const existing_allocation &x : c.existing) {
    const std::string why = problem_of(x, id, true, true, before);
    if (!why.empty()) return messages::node_allocation_not_restored(x.ask.key, why);
  }
  return {};
}

void partition::add_node(const tenon::add_node &c) {
  const std::string id(c.node);
  placed_ahead.clear();
  if (const std::string why = problem_of(c); !why.empty()) {
    decision &d = emit(decision_kind::node_rejected);
    d.node = id;
    d.text = messages::node_rejected(why);
    return;
  }
  nodes[id] = {id, c.schedulable && !shared.stopped[name].nodes.contains(id), without_zeros(to_map(c.capacity)),
               to_map(c.occupied), to_texts(c.attributes)};
  emit(decision_kind::node_accepted).node = id;
  for (const existing_allocation &x : c.existing) put_existing(x, id, true);
}

void partition::update_node(const tenon::update_node &c) {
  const std::string id(c.node);
  const auto refuse = [&](std::string why) {
    decision &d = emit(decision_kind::node_update_rejected);
    d.node = id;
    d.text = std::move(why);
  };
  const auto found = nodes.find(id);
  if (found == nodes.end()) return refuse(messages::node_not_found(id, near_nodes(id)));
  const amounts capacity = c.has_capacity ? c.capacity : amounts(), occupied = c.has_occupied ? c.occupied : amounts();
  if (std::string why = problem_of_amounts({capacity, occupied}); !why.empty()) return refuse(why);
  if (std::string why = intern(names_in({capacity, occupied})); !why.empty()) return refuse(why);
  if (std::string why = problem_of_capacity(id, to_map(capacity)); !why.empty()) return refuse(why);
  if (std::string why = problem_of_sum(on_node(id, false), to_map(occupied)); !why.empty()) return refuse(why);
  const auto attributes = to_texts(c.has_attributes ? c.attributes : texts());
  for (const auto &attribute : c.has_attributes ? c.attributes : texts()) {
    const bool elsewhere = !attribute.value.empty() && attribute.value != name && attribute.value != plain_name;
    if (attribute.key == "si/node-partition" && elsewhere) {
      return refuse(messages::node_partition_changed(id, attribute.value));
    }
  }
  if (std::string why = problem_of_divisions(attributes); !why.empty()) return refuse(why);
  if (std::string why = intern(divided_types(attributes)); !why.empty()) return refuse(why);
  if (c.has_capacity) found->second.capacity = without_zeros(to_map(capacity));
  if (c.has_occupied) found->second.occupied = to_map(occupied);
  if (c.has_attributes) found->second.attributes = attributes;
  forget_refusals_on(id);
  look_at_reservations_on(id);
}

void partition::change_node(const tenon::change_node &c) {
  const std::string id(c.node);
  const auto refuse = [&](std::string why) {
    decision &d = emit(decision_kind::node_update_rejected);
    d.node = id;
    d.text = std::move(why);
  };
  const auto found = nodes.find(id);
  if (found == nodes.end()) return refuse(messages::node_not_found(id, near_nodes(id)));
  switch (static_cast<node_event>(c.event)) {
    case node_event::drain:
      if (c.by_administrator) shared.stopped[name].nodes.insert(id);
      found->second.schedulable = false;
      forget_refusals_on(id);
      return look_at_reservations_on(id);
    case node_event::undrain:
      if (found->second.schedulable) return refuse(messages::node_not_draining(id));
      if (shared.stopped[name].nodes.contains(id) && !c.by_administrator)
        return refuse(messages::node_drained_by_administrator(id));
      shared.stopped[name].nodes.erase(id);
      found->second.schedulable = true;
      forget_refusals_on(id);
      return;
    case node_event::decommission:
      return decommission(id);
    default:
      return refuse(messages::node_event_unknown(id));
  }
}

void partition::decommission(const std::string &id) {
  const auto concerns = [&](const proposal &p) {
    return p.node() == id || (p.placeholder != nullptr && p.placeholder->node == id);
  };
  undo_all(concerns, messages::node_removed(id), true);
  forget_refusals_on(id);
  for (const reservation &r : reservations_on(id)) end_reservation(r.id, messages::node_removed(id));
  std::map<uint64_t, std::pair<application *, allocation>> gone;  // by sequence
  for (const auto &a : applications) {
    for (allocation &x : a->allocations) {
      if (x.under_way && x.under_way->node == id) break_replacement(*a, x, true);
      if (x.node == id) gone[x.sequence] = {a.get(), x};
    }
  }
  for (const auto &a : applications) {
    for (ask &k : a->asks) k.failed_on.erase(id);
  }
  const size_t most_before = most_reserved_nodes();
  const node removed = nodes.at(id);
  nodes.erase(id);
  std::erase_if(foreign, [&](const auto &item) { return item.second.node == id; });
  std::map<uint64_t, std::pair<application *, bool>> concerned;  // by submission; whether something real went
  for (const auto &[sequence, item] : gone) {
    const auto &[a, x] = item;
    tell(decision_kind::released, *a, x, termination::stopped_by_rm, messages::node_removed(id));
    remove_allocation(*a, sequence);
    count_past_use(*a, x, removed);
    auto &[concerned_one, real_went] = concerned[a->submission];
    concerned_one = a;
    real_went |= !x.placeholder;
  }
  for (const auto &[sequence, item] : gone) take_place(*item.first, item.second);
  for (const auto &[submission, item] : concerned) {
    forget_idle_asks(*item.first);
    settle(*item.first, item.second);
  }
  if (most_reserved_nodes() < most_before) end_too_many_reservations();
}

}  // namespace tenon::naive
