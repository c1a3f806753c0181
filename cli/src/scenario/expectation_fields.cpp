// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scenario/expectation_fields.hpp"

#include <algorithm>
#include <array>

#include "scenario/terminations.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::cli {
namespace {

using subject = const target &;
using sub_key = const std::string &;

value amounts(const amount_map &m) { return m; }
value amounts(const std::optional<amount_map> &m) { return m ? value(*m) : value(); }
value number(auto n) { return static_cast<int64_t>(n); }
value word(std::string_view s) { return std::string(s); }

template <class Items, class Predicate>
value count_of(const Items &items, Predicate wanted) {
  return number(std::count_if(items.begin(), items.end(), wanted));
}

bool is_placeholder(const allocation_snapshot &a) { return a.placeholder; }
bool is_real(const allocation_snapshot &a) { return !a.placeholder; }

value sum_where(subject of, bool (*wanted)(const allocation_snapshot &)) {
  amount_map sum;
  for (const allocation_snapshot &a : of.application->allocations) {
    if (!wanted(a)) continue;
    for (const auto &[type, amount] : a.resources) sum[type] += amount;
  }
  return sum;
}

// Under its full and under its base key.
value allocations_by_key(subject of, sub_key) {
  amount_map counts;
  for (const allocation_snapshot &a : of.application->allocations) {
    ++counts[a.key];
    if (base_key(a.key) != a.key) ++counts[std::string(base_key(a.key))];
  }
  return counts;
}

value nodes_by_key(subject of, sub_key) {
  text_map nodes;
  for (const allocation_snapshot &a : of.application->allocations) {
    auto [at, fresh] = nodes.try_emplace(a.key, a.node);
    if (!fresh) at->second += "\n" + a.node;
  }
  return nodes;
}

// What each device of a type has free: "1000, 250".
value devices_of(subject of, sub_key) {
  text_map out;
  for (const auto &[type, free] : of.node->devices) {
    std::string &list = out[type];
    for (const int64_t amount : free) list += (list.empty() ? "" : ", ") + std::to_string(amount);
  }
  return out;
}

value details_by_key(subject of, sub_key) {
  text_map details;
  for (const allocation_snapshot &a : of.application->allocations) {
    auto [at, fresh] = details.try_emplace(a.key, a.detail);
    if (!fresh) at->second += "\n" + a.detail;
  }
  return details;
}

value allocations_by_node(subject of, sub_key) {
  amount_map counts;
  for (const allocation_snapshot &a : of.application->allocations) ++counts[a.node];
  return counts;
}

value preempted_keys(subject of, sub_key) {
  text_list keys;
  for (const allocation_snapshot &a : of.application->allocations) {
    if (a.preempted) keys.push_back(a.key);
  }
  return keys;
}

value placeholder_counts(subject of, sub_key) {
  amount_map counts;
  for (const placeholder_snapshot &p : of.application->placeholder_data) {
    counts[p.task_group + ".count"] = p.count;
    counts[p.task_group + ".replaced"] = p.replaced;
    counts[p.task_group + ".timedout"] = p.timed_out;
  }
  return counts;
}

value state_log(subject of, sub_key) {
  text_list states;
  for (const auto &[when, state] : of.application->state_log) states.emplace_back(name(state));
  return states;
}

value partition_names(subject of, sub_key) {
  text_list names;
  for (const partition_snapshot &p : of.kernel->partitions) names.emplace_back(plain_partition(p.name));
  return names;
}

// What is to be said of the asks of a key, base key or application/key, one a line.
value why_pending(subject of, sub_key wanted) {
  std::string explained;
  for (const application_snapshot &app : of.partition->applications) {
    for (const ask_snapshot &ask : app.asks) {
      const bool meant = wanted == ask.key || wanted == base_key(ask.key) || wanted == app.id + "/" + ask.key ||
                         wanted == app.id + "/" + std::string(base_key(ask.key));
      if (meant) explained += ask.blocker + "\n" + (*of.explain)(of.partition->name, app.id, ask.key) + "\n";
    }
  }
  return explained.empty() ? "no such ask is pending" : explained;
}

value released_keys(subject of, sub_key type) { return of.rm->released(*termination_of(type)); }

using r = value_rule;

constexpr auto queue_rows = std::to_array<field_row>({
    {exists_key, r::flag, [](subject of, sub_key) { return value(of.queue != nullptr); }},
    {"allocated", r::amounts, [](subject of, sub_key) { return amounts(of.queue->allocated); }},
    {"pending", r::amounts, [](subject of, sub_key) { return amounts(of.queue->pending); }},
    {"max", r::amounts, [](subject of, sub_key) { return amounts(of.queue->max); }},
    {"guaranteed", r::amounts, [](subject of, sub_key) { return amounts(of.queue->guaranteed); }},
    {"preempting", r::amounts, [](subject of, sub_key) { return amounts(of.queue->preempting); }},
    {"status", r::word, [](subject of, sub_key) { return word(name(of.queue->state)); }},
    {"leaf", r::flag, [](subject of, sub_key) { return value(of.queue->leaf); }},
    {"managed", r::flag, [](subject of, sub_key) { return value(of.queue->managed); }},
    {"running_apps", r::number, [](subject of, sub_key) { return number(of.queue->running_apps); }},
    {"max_running_apps", r::number, [](subject of, sub_key) { return number(of.queue->max_running_apps); }},
    {"current_priority", r::number, [](subject of, sub_key) { return number(of.queue->current_priority); }},
    {"properties", r::texts, [](subject of, sub_key) { return value(of.queue->properties); }},
});

constexpr auto node_rows = std::to_array<field_row>({
    {exists_key, r::flag, [](subject of, sub_key) { return value(of.node != nullptr); }},
    {"capacity", r::amounts, [](subject of, sub_key) { return amounts(of.node->capacity); }},
    {"allocated", r::amounts, [](subject of, sub_key) { return amounts(of.node->allocated); }},
    {"available", r::amounts, [](subject of, sub_key) { return amounts(of.node->available); }},
    {"occupied", r::amounts, [](subject of, sub_key) { return amounts(of.node->occupied); }},
    {"schedulable", r::flag, [](subject of, sub_key) { return value(of.node->schedulable); }},
    {"devices", r::texts, devices_of},
    {"reservations", r::number, [](subject of, sub_key) { return number(of.node->reservations.size()); }},
    {"allocations", r::number, [](subject of, sub_key) { return number(of.node->allocations.size()); }},
});

constexpr auto application_rows = std::to_array<field_row>({
    {exists_key, r::flag, [](subject of, sub_key) { return value(of.application != nullptr); }},
    {"state", r::word, [](subject of, sub_key) { return word(name(of.application->state)); }},
    {"queue", r::word, [](subject of, sub_key) { return word(of.application->queue); }},
    {"used", r::amounts, [](subject of, sub_key) { return amounts(of.application->allocated); }},
    {"pending", r::amounts, [](subject of, sub_key) { return amounts(of.application->pending); }},
    {"allocations", r::number, [](subject of, sub_key) { return number(of.application->allocations.size()); }},
    {"placeholders", r::number,
     [](subject of, sub_key) { return count_of(of.application->allocations, is_placeholder); }},
    {"real", r::number, [](subject of, sub_key) { return count_of(of.application->allocations, is_real); }},
    {"placeholder_used", r::amounts, [](subject of, sub_key) { return sum_where(of, is_placeholder); }},
    {"real_used", r::amounts, [](subject of, sub_key) { return sum_where(of, is_real); }},
    {"keys", r::counts, allocations_by_key},
    {"placed", r::places, nodes_by_key},
    {"detail", r::places, details_by_key},
    {"on_nodes", r::counts, allocations_by_node},
    {"reservations", r::number, [](subject of, sub_key) { return number(of.application->reservations.size()); }},
    {"preempted", r::key_set, preempted_keys},
    {"placeholder_data", r::tallies, placeholder_counts},
    {"state_log", r::in_order, state_log},
    {"rejected", r::part, [](subject of, sub_key) { return word(of.application->message); }},
    {"message", r::part, [](subject of, sub_key) { return word(of.application->message); }},
});

constexpr auto usage_rows = std::to_array<field_row>({
    {"usage", r::amounts,
     [](subject of, sub_key) { return of.usage == nullptr ? value(amount_map{}) : amounts(of.usage->usage); }},
    {"running", r::number,
     [](subject of, sub_key) { return number(of.usage == nullptr ? 0 : of.usage->running.size()); }},
});

constexpr auto cluster_rows = std::to_array<field_row>({
    {"total_nodes", r::number, [](subject of, sub_key) { return number(of.partition->nodes.size()); }},
    {"total_allocations", r::number, [](subject of, sub_key) { return number(of.partition->allocations); }},
    {"capacity", r::amounts, [](subject of, sub_key) { return amounts(of.partition->capacity); }},
    {"used", r::amounts, [](subject of, sub_key) { return amounts(of.partition->used); }},
    {"state", r::word, [](subject of, sub_key) { return word(name(of.partition->state)); }},
    {"node_sort_policy", r::word, [](subject of, sub_key) { return word(of.partition->node_sort_policy); }},
});

constexpr auto partitions_rows = std::to_array<field_row>({
    {"", r::exactly, partition_names},
});

constexpr auto rm_rows = std::to_array<field_row>({
    {"allocations", r::number, [](subject of, sub_key) { return number(of.rm->running().size()); }},
    {"accepted_apps", r::includes, [](subject of, sub_key) { return value(of.rm->accepted_apps()); }},
    {"rejected_apps", r::parts, [](subject of, sub_key) { return value(of.rm->rejected_apps()); }},
    {"accepted_nodes", r::includes, [](subject of, sub_key) { return value(of.rm->accepted_nodes()); }},
    {"rejected_nodes", r::includes, [](subject of, sub_key) { return value(of.rm->rejected_nodes()); }},
    {"rejected_asks", r::includes, [](subject of, sub_key) { return value(of.rm->rejected_asks()); }},
    {"proposed", r::exactly, [](subject of, sub_key) { return value(of.rm->proposed_keys()); }},
    {"released", r::key_set, released_keys, sub_keys::terminations},
    {"app_states", r::reported, [](subject of, sub_key) { return value(of.rm->app_states()); }},
    {"app_messages", r::parts, [](subject of, sub_key) { return value(of.rm->app_messages()); }},
    {"container_states", r::reported, [](subject of, sub_key) { return value(of.rm->container_states()); }},
    {"container_updates", r::number, [](subject of, sub_key) { return number(of.rm->container_updates()); }},
});

constexpr auto explain_rows = std::to_array<field_row>({
    {"", r::part, why_pending, sub_keys::asks},
});

template <class Items, class Predicate>
const typename Items::value_type *find(const Items &items, Predicate wanted) {
  const auto found = std::find_if(items.begin(), items.end(), wanted);
  return found == items.end() ? nullptr : &*found;
}

// The running one, else the latest of those that ended: an id may have been refused and used again.
const application_snapshot *find_application(const partition_snapshot &p, const std::string &id) {
  const auto named = [&](const application_snapshot &a) { return a.id == id; };
  if (const auto *active = find(p.applications, named)) return active;
  const auto last = std::find_if(p.ended.rbegin(), p.ended.rend(), named);
  return last == p.ended.rend() ? nullptr : &*last;
}

}  // namespace

std::span<const field_row> rows(section where) {
  switch (where) {
    case section::queues:
      return queue_rows;
    case section::nodes:
      return node_rows;
    case section::apps:
      return application_rows;
    case section::users:
    case section::groups:
      return usage_rows;
    case section::cluster:
      return cluster_rows;
    case section::partitions:
      return partitions_rows;
    case section::rm:
      return rm_rows;
    case section::explain:
      return explain_rows;
  }
  return {};
}

std::string_view name(section where) {
  constexpr auto names = std::to_array<std::string_view>(
      {"queues", "nodes", "apps", "users", "groups", "cluster", "partitions", "rm", "explain"});
  return names[static_cast<size_t>(where)];
}

target find_target(const expected_object &wanted, const kernel_snapshot &kernel, const partition_snapshot *partition,
                   const rm_model &rm, const explainer &explain) {
  target of{&kernel, partition, &rm, &explain};
  if (partition == nullptr) return of;
  const auto of_user = [&](const usage_snapshot &u) { return u.name == wanted.name && u.queue == wanted.queue; };
  switch (wanted.where) {
    case section::queues:
      of.queue = find(partition->queues, [&](const queue_snapshot &q) { return q.path == wanted.name; });
      break;
    case section::nodes:
      of.node = find(partition->nodes, [&](const node_snapshot &n) { return n.id == wanted.name; });
      break;
    case section::apps:
      of.application = find_application(*partition, wanted.name);
      break;
    case section::users:
      of.usage = find(partition->users, of_user);
      break;
    case section::groups:
      of.usage = find(partition->groups, of_user);
      break;
    default:
      break;
  }
  return of;
}

bool present(section where, const target &of) {
  switch (where) {
    case section::queues:
      return of.queue != nullptr;
    case section::nodes:
      return of.node != nullptr;
    case section::apps:
      return of.application != nullptr;
    case section::users:
    case section::groups:
    case section::cluster:
    case section::explain:
      return of.partition != nullptr;
    case section::partitions:
    case section::rm:
      return true;
  }
  return false;
}

}  // namespace tenon::cli
