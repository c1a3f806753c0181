// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "told_state.hpp"

#include <algorithm>

#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::sim {
namespace {

amount_map named(const fact &what, const resources *amounts) {
  amount_map out;
  if (amounts == nullptr) return out;
  for_each_type(*amounts, [&](type_index t, int64_t amount) {
    if (amount != 0) out[std::string(what.types->name(t))] = amount;
  });
  return out;
}

void add(amount_map &to, const amount_map &more, int sign) {
  for (const auto &[type, amount] : more) {
    int64_t &sum = to[type];
    sum = sign > 0 ? add_saturating(sum, amount) : sub_saturating(sum, amount);
    if (sum == 0) to.erase(type);
  }
}

amount_map without_zeros(const amount_map &all) {
  amount_map out;
  for (const auto &[type, amount] : all) {
    if (amount != 0) out[type] = amount;
  }
  return out;
}

std::string allocation_name(const fact &what) {
  return std::string(what.application) + '/' + std::string(what.key) + '#' + std::to_string(what.allocation_sequence);
}

}  // namespace

void told_state::use(usage_map &of, std::string_view name, std::string_view path, const fact &what, int sign,
                     const resources &amounts) {
  if (name.empty()) return;
  const amount_map more = named(what, &amounts);
  for (size_t end = path.find('.');; end = path.find('.', end + 1)) {
    const auto at = std::pair(std::string(name), std::string(path.substr(0, end)));
    add(of[at], more, sign);
    if (of[at].empty()) of.erase(at);
    if (end == std::string_view::npos) return;
  }
}

void told_state::allocation(told_partition &p, const fact &what) {
  const int sign = what.kind == fact_kind::allocation_removed ? -1 : 1;
  const auto both = [&](int s, const resources &amounts) {
    use(p.users, what.user, what.queue, what, s, amounts);
    use(p.groups, what.group, what.queue, what, s, amounts);
  };
  both(sign, *what.amounts);
  if (what.kind == fact_kind::allocation_resized) return both(-1, *what.available);
  auto &on = p.nodes[std::string(what.node)].allocations;
  sign > 0 ? (void)on.insert(allocation_name(what)) : (void)on.erase(allocation_name(what));
}

void told_state::take(const fact &what) {
  ++counts_[what.kind];
  told_partition &p = partitions_[std::string(what.partition)];
  const std::string queue(what.queue), node(what.node), application(what.application);
  const std::string reservation = application + '/' + std::string(what.key);
  switch (what.kind) {
    case fact_kind::application_added:
      p.applications[application] = application_state::new_;
      break;
    case fact_kind::application_state:
      if (what.state == application_state::expired) break;  // long ended, its id may be another's by now
      if (const auto found = p.applications.find(application); found != p.applications.end())
        found->second = what.state;
      break;
    case fact_kind::application_left:
      p.applications.erase(application);
      break;
    case fact_kind::allocation_added:
    case fact_kind::allocation_removed:
    case fact_kind::allocation_resized:
      allocation(p, what);
      break;
    case fact_kind::group_usage:
      use(p.groups, what.group, what.queue, what, what.flag ? 1 : -1, *what.amounts);
      break;
    case fact_kind::user_usage:
      use(p.users, what.user, what.queue, what, what.flag ? 1 : -1, *what.amounts);
      break;
    case fact_kind::foreign_added:
      add(p.nodes[node].occupied, named(what, what.amounts), 1);
      break;
    case fact_kind::foreign_removed:
      add(p.nodes[node].occupied, named(what, what.amounts), -1);
      break;
    case fact_kind::node_added:
      p.nodes[node] = {true, named(what, what.amounts), {}, {}, {}};
      break;
    case fact_kind::node_removed:
      p.nodes.erase(node);
      break;
    case fact_kind::node_schedulable:
      p.nodes[node].schedulable = what.flag;
      break;
    case fact_kind::node_capacity:
      p.nodes[node].capacity = named(what, what.amounts);
      break;
    case fact_kind::node_occupied:
      p.nodes[node].occupied = named(what, what.amounts);
      break;
    case fact_kind::reserved:
      p.nodes[node].reservations.insert(reservation);
      break;
    case fact_kind::unreserved:
      p.nodes[node].reservations.erase(reservation);
      break;
    case fact_kind::queue_added:
      if (queue.find('.') == std::string::npos) p = {};  // a partition begins with its root
      p.queues[queue] = {};
      break;
    case fact_kind::queue_removed:
      p.queues.erase(queue);
      break;
    case fact_kind::queue_max:
      p.queues[queue].max = named(what, what.amounts);
      break;
    case fact_kind::queue_guaranteed:
      p.queues[queue].guaranteed = named(what, what.amounts);
      break;
    default:
      break;
  }
}

void told_state::compare(const told_partition &told, const partition_snapshot &is, std::vector<std::string> &out) {
  const auto differ = [&](const std::string &what, const std::string &have, const std::string &want) {
    if (have != want) out.push_back(is.name + ": " + what + ": told '" + have + "', is '" + want + "'");
  };
  const auto text = [](const amount_map &amounts) { return messages::amounts(without_zeros(amounts)); };
  const auto join = [](const auto &names) {
    std::string list;
    for (const std::string &one : names) list += one + ' ';
    return list;
  };
  std::map<std::string, told_queue> queues;
  for (const queue_snapshot &q : is.queues) {
    queues[q.path] = {q.max.value_or(amount_map{}), q.guaranteed};
    const auto found = told.queues.find(q.path);
    if (found == told.queues.end()) {
      differ("queue " + q.path, "not there", "there");
      continue;
    }
    differ("max of " + q.path, text(found->second.max), text(q.max.value_or(amount_map{})));
    differ("guaranteed of " + q.path, text(found->second.guaranteed), text(q.guaranteed));
  }
  for (const auto &[path, q] : told.queues) {
    if (!queues.contains(path)) differ("queue " + path, "there", "not there");
  }
  for (const node_snapshot &n : is.nodes) {
    const auto found = told.nodes.find(n.id);
    if (found == told.nodes.end()) {
      differ("node " + n.id, "not there", "there");
      continue;
    }
    std::set<std::string> allocations;
    for (const std::string &one : n.allocations) {
      if (!one.ends_with("#0")) allocations.insert(one);
    }
    differ("allocations on " + n.id, join(found->second.allocations), join(allocations));
    differ("reservations on " + n.id, join(found->second.reservations),
           join(std::set<std::string>(n.reservations.begin(), n.reservations.end())));
    differ("capacity of " + n.id, text(found->second.capacity), text(n.capacity));
    differ("occupied of " + n.id, text(found->second.occupied), text(n.occupied));
    differ("schedulable of " + n.id, std::to_string(found->second.schedulable), std::to_string(n.schedulable));
  }
  differ("number of nodes", std::to_string(told.nodes.size()), std::to_string(is.nodes.size()));
  std::string have, want;
  for (const auto &[app, state] : told.applications) have += app + '=' + std::string(name(state)) + ' ';
  std::map<std::string, application_state> applications;
  for (const application_snapshot &a : is.applications) applications[a.id] = a.state;
  for (const auto &[app, state] : applications) want += app + '=' + std::string(name(state)) + ' ';
  differ("applications", have, want);
  const auto usage = [&](const char *of, const usage_map &mine, const std::vector<usage_snapshot> &its) {
    std::string is_told, is_so;
    for (const auto &[at, used] : mine) is_told += at.first + '@' + at.second + '=' + text(used) + ' ';
    std::map<std::pair<std::string, std::string>, std::string> sorted;
    for (const usage_snapshot &u : its) {
      if (!without_zeros(u.usage).empty()) sorted[{u.name, u.queue}] = text(u.usage);
    }
    for (const auto &[at, used] : sorted) is_so += at.first + '@' + at.second + '=' + used + ' ';
    differ(of, is_told, is_so);
  };
  usage("users", told.users, is.users);
  usage("groups", told.groups, is.groups);
}

std::vector<std::string> told_state::differences(const kernel_snapshot &s) const {
  std::vector<std::string> out;
  for (const partition_snapshot &p : s.partitions) {
    const auto found = partitions_.find(p.name);
    compare(found == partitions_.end() ? told_partition{} : found->second, p, out);
  }
  return out;
}

}  // namespace tenon::sim
