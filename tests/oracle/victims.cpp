// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Victims: who comes first, and preemption on a required node. docs/decisions-preemption.md, sections 3 and 5.
#include <algorithm>
#include <tuple>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::naive {

namespace {

// So many of its task group may go before fewer stay than the group had placeholders.
int64_t spare_members(const candidate &c) {
  const std::string &group = c.what->task_group;
  if (group.empty()) return INT64_MAX;
  int64_t stay = 0, placeholders = 0;
  for (const allocation &x : c.owner->allocations) {
    if (x.task_group != group) continue;
    placeholders += x.placeholder ? 1 : 0;
    if (x.state != allocation_state::preempting && x.state != allocation_state::expiring) ++stay;
  }
  for (const ask &k : c.owner->asks) {
    if (k.placeholder && k.task_group == group) placeholders += k.pending();
  }
  const auto ended = c.owner->placeholder_data.find(group);
  if (ended != c.owner->placeholder_data.end()) placeholders += ended->second.replaced + ended->second.timed_out;
  return stay < placeholders ? INT64_MAX : stay - placeholders;
}

}  // namespace

bool victim_before(const candidate &a, const candidate &b) {
  const auto rank = [](const candidate &c) {
    const allocation &x = *c.what;
    // Newer ones first: creation, bind time and sequence count backwards.
    return std::tuple(!x.allow_preempt_self, x.originator, x.priority, -x.create_time_ms, -x.bind_time_ms,
                      std::string_view(x.key), std::string_view(c.owner->id), -static_cast<int64_t>(x.sequence));
  };
  return rank(a) < rank(b);
}

victim_rank rank_of(const candidate &c) { return {!c.what->allow_preempt_self, c.what->originator, c.what->priority}; }

namespace {

// In victim order; whether each is needed by its gang, when these are looked at.
std::vector<std::pair<candidate, bool>> with_needs(std::vector<candidate> all) {
  std::sort(all.begin(), all.end(), victim_before);
  std::vector<std::pair<candidate, bool>> out;
  for (const candidate &c : all) {
    const auto before = std::count_if(out.begin(), out.end(), [&](const auto &one) {
      return one.first.owner == c.owner && one.first.what->task_group == c.what->task_group;
    });
    out.emplace_back(c, before >= spare_members(c));
  }
  return out;
}

}  // namespace

std::vector<candidate> as_looked_at(const std::vector<candidate> &all) {
  auto ordered = with_needs(all);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto &a, const auto &b) {
    return std::pair(rank_of(a.first), a.second) < std::pair(rank_of(b.first), b.second);
  });
  std::vector<candidate> out;
  for (const auto &one : ordered) out.push_back(one.first);
  return out;
}

victim_level level_of(const std::vector<candidate> &all) {
  victim_level out;
  bool is_first = true;
  for (const auto &[c, needed] : with_needs(all)) {
    const victim_level own{rank_of(c), needed};
    if (std::exchange(is_first, false) || out < own) out = own;
  }
  return out;
}

double share_of(const amount_map &amounts, const amount_map &of_nodes) {
  double largest = 0;
  for (const auto &[type, amount] : amounts) {
    const int64_t of = amount_of(of_nodes, type);
    if (amount > 0) largest = std::max(largest, of <= 0 ? 1.0 : static_cast<double>(amount) / static_cast<double>(of));
  }
  return largest;
}

std::vector<candidate> largest_first(std::vector<candidate> all, const amount_map &of_nodes) {
  std::sort(all.begin(), all.end(), [&](const candidate &a, const candidate &b) {
    const double of_a = share_of(a.what->resources, of_nodes), of_b = share_of(b.what->resources, of_nodes);
    return of_a != of_b ? of_a > of_b : victim_before(b, a);
  });
  return all;
}

std::vector<candidate> partition::all_candidates(bool opted_out) {
  std::vector<candidate> out;
  for (const auto &a : applications) {
    if (preemption_text(*find_queue(a->queue)).contains("disabled")) continue;
    for (allocation &x : a->allocations) {
      const bool may = x.state == allocation_state::allocated && x.required_node.empty();
      if (may && (x.allow_preempt_self || opted_out)) out.push_back({a.get(), &x});
    }
  }
  std::sort(out.begin(), out.end(), victim_before);
  return out;
}

bool partition::has_victims_under_way(const ask &k) const {
  return std::any_of(applications.begin(), applications.end(), [&](const auto &a) {
    return std::any_of(a->allocations.begin(), a->allocations.end(), [&](const allocation &x) {
      return x.state == allocation_state::preempting && x.victim_of == k.arrival;
    });
  });
}

amount_map partition::victims_in(const std::string &path, const ask &k) const {
  amount_map out;
  for (const auto &a : applications) {
    if (a->queue != path && !a->queue.starts_with(path + ".")) continue;
    for (const allocation &x : a->allocations) {
      if (x.state == allocation_state::preempting && x.victim_of == k.arrival) add(out, x.resources);
    }
  }
  return out;
}

void partition::take_victims(std::vector<candidate> victims, uint64_t victim_of, const std::string &text) {
  std::sort(victims.begin(), victims.end(), victim_before);
  for (const candidate &c : victims) {
    if (c.what->is_offered()) {
      undo({c.owner, nullptr, c.what}, messages::proposal_placeholder_gone(c.what->key), true);
    }
    tell(decision_kind::released, *c.owner, *c.what, termination::preempted_by_scheduler, text);
    c.what->state = allocation_state::preempting;
    c.what->victim_of = victim_of;
  }
}

bool partition::preempt_on(application &, ask &k, const usage &used) {
  if (!config.preemption_enabled || has_victims_under_way(k)) return false;
  const node &n = nodes.at(k.required_node);
  free_capacity free = free_on(n, used);
  for (const auto &a : applications) {
    for (const allocation &x : a->allocations) {
      const bool ends = x.state == allocation_state::preempting || x.state == allocation_state::expiring;
      if (ends && x.node == n.id) free.add(x.resources, x.detail);
    }
  }
  for (const reservation &r : reservations_on(n.id)) {
    if (r.ask == k.arrival) break;
    subtract(free.free, ask_of_reservation(r).resources);
  }
  const auto missing = without_devices(n, free.devices, k);
  const auto fits_with = [&](const std::vector<candidate> &taken) {
    free_capacity then = free;
    for (const candidate &c : taken) then.add(c.what->resources, c.what->detail);
    return fits_in(n, then, k);
  };
  const auto helps = [&](const allocation &x) {
    return std::any_of(x.resources.begin(), x.resources.end(), [&](const auto &item) {
      const auto &[type, amount] = item;
      const bool too_few = amount_of(k.resources, type) > std::max<int64_t>(0, amount_of(free.free, type));
      return amount > 0 && (too_few || missing.contains(type));
    });
  };
  for (const bool opted_out : {false, true}) {
    std::vector<candidate> taken, looked_at;
    for (const candidate &c : all_candidates(opted_out)) {
      if (c.what->node == k.required_node && c.what->priority <= k.priority && helps(*c.what)) looked_at.push_back(c);
    }
    looked_at = as_looked_at(looked_at);
    for (const candidate &c : looked_at) {
      if (!fits_with(taken)) taken.push_back(c);
    }
    if (!fits_with(taken)) continue;
    if (taken.empty()) return false;
    const candidate *alone = nullptr;
    const auto rank = [&](const candidate &c) {
      return std::tuple(level_of({c}), share_of(c.what->resources, used.root_max));
    };
    for (const candidate &c : looked_at) {
      if (level_of({c}) > level_of(taken) || !fits_with({c})) continue;
      if (alone == nullptr || rank(c) < rank(*alone)) alone = &c;
    }
    for (const candidate &c : largest_first(taken, used.root_max)) {
      std::vector<candidate> without = taken;
      std::erase_if(without, [&](const candidate &t) { return t.what == c.what; });
      if (fits_with(without)) taken = without;
    }
    if (alone != nullptr) taken = {*alone};
    take_victims(taken, k.arrival, messages::preempted_for_daemon(k.key));
    return true;
  }
  return false;
}

}  // namespace tenon::naive
