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

// As many of its group were taken as the group can spare, and not more.
bool is_needed(const candidate &c, int64_t spare, const std::vector<candidate> &taken) {
  return spare == std::count_if(taken.begin(), taken.end(), [&](const candidate &t) {
           return t.owner == c.owner && t.what->task_group == c.what->task_group;
         });
}

}  // namespace

lineup::lineup(const std::vector<candidate> &all) {
  for (const candidate &c : all) left_.emplace_back(c, spare_members(c));
  std::sort(left_.begin(), left_.end(), [](const auto &a, const auto &b) { return victim_before(a.first, b.first); });
}

std::optional<candidate> lineup::next(const std::vector<candidate> &taken) {
  const auto place = [&](const auto &one) {
    return std::pair(rank_of(one.first), is_needed(one.first, one.second, taken));
  };
  const auto first =
      std::min_element(left_.begin(), left_.end(), [&](const auto &a, const auto &b) { return place(a) < place(b); });
  if (first == left_.end()) return std::nullopt;
  const candidate out = first->first;
  left_.erase(first);
  return out;
}

victim_level level_of(std::vector<candidate> all) {
  std::sort(all.begin(), all.end(), victim_before);
  victim_level out{rank_of(all.back()), 0};
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<candidate> before(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i));
    if (rank_of(all[i]) == out.first && is_needed(all[i], spare_members(all[i]), before)) ++out.second;
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

std::vector<candidate> largest_first(std::vector<candidate> taken, const amount_map &of_nodes) {
  std::reverse(taken.begin(), taken.end());
  std::stable_sort(taken.begin(), taken.end(), [&](const candidate &a, const candidate &b) {
    return share_of(a.what->resources, of_nodes) > share_of(b.what->resources, of_nodes);
  });
  return taken;
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

bool partition::preempt_on(ask &k, const usage &used) {
  if (!config.preemption_enabled || has_victims_under_way(k)) return false;
  const node &n = nodes.at(k.required_node);
  free_capacity free = free_on(n, used);
  const std::vector<reservation> there = reservations_on(n.id);
  const auto is_awaited = [&](const allocation &x) {
    return std::any_of(there.begin(), there.end(), [&](const reservation &r) { return r.ask == x.victim_of; });
  };
  const bool waited = k.reserve_from_ms != INT64_MIN;
  for (const auto &a : applications) {
    for (const allocation &x : a->allocations) {
      const bool ends = x.state == allocation_state::preempting || x.state == allocation_state::expiring;
      if (ends && x.node == n.id && (!waited || is_awaited(x))) free.add(x.resources, x.detail);
    }
  }
  const auto own = std::find_if(there.begin(), there.end(), [&](const reservation &r) { return r.ask == k.arrival; });
  for (auto r = there.begin(); r != own; ++r) subtract(free.free, ask_of_reservation(*r).resources);
  const auto missing = without_devices(n, free.devices, k);
  amount_map together = k.resources;  // what asks need that are considered together
  const auto fits_with = [&](const std::vector<candidate> &taken) {
    free_capacity then = free;
    for (const candidate &c : taken) then.add(c.what->resources, c.what->detail);
    if (!fits_in(n, then, k)) return false;
    return std::all_of(together.begin(), together.end(), [&](const auto &item) {
      return item.second <= 0 || item.second <= amount_of(then.free, item.first);
    });
  };
  if (fits_with({})) return false;
  std::vector<candidate> all;
  for (const candidate &c : all_candidates(true)) {
    if (c.what->node == n.id && c.what->priority <= k.priority) all.push_back(c);
  }
  for (auto r = own + 1; r < there.end(); ++r) {
    const ask &other = ask_of_reservation(*r);
    const application &of = *find_application(r->application);
    if (other.priority < k.priority || waits_for_placeholders(of, other) || is_refused(other, n)) continue;
    const amount_map before = together;
    add(together, other.resources);
    if (!fits_with(all)) together = before;
  }
  const auto helps = [&](const allocation &x) {
    return std::any_of(x.resources.begin(), x.resources.end(), [&](const auto &item) {
      const auto &[type, amount] = item;
      const bool too_few = amount_of(together, type) > std::max<int64_t>(0, amount_of(free.free, type));
      return amount > 0 && (too_few || missing.contains(type));
    });
  };
  for (const bool opted_out : {false, true}) {
    std::vector<candidate> taken, looked_at;
    for (const candidate &c : all) {
      if ((opted_out || c.what->allow_preempt_self) && helps(*c.what)) looked_at.push_back(c);
    }
    lineup line(looked_at);
    while (!fits_with(taken)) {
      const auto c = line.next(taken);
      if (!c) break;
      taken.push_back(*c);
    }
    if (!fits_with(taken)) continue;
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
    k.preempt_from_ms = wait_ends_ms();
    take_victims(taken, k.arrival, messages::preempted_for_daemon(k.key));
    return true;
  }
  return false;
}

}  // namespace tenon::naive
