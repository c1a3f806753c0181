// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A max below usage: docs/decisions-preemption.md, section 6.
#include <algorithm>
#include <set>
#include <tuple>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {
namespace {

__extension__ using wide = __int128;

amount_map spare_of(const queue &q, const usage &used) {
  const tally of = used.of_queue(q.path);
  amount_map out = of.allocated;
  subtract(out, of.ending);
  subtract(out, q.guaranteed);
  for (auto &[type, amount] : out) amount = std::max<int64_t>(0, amount);
  return out;
}

int64_t delay_of(const queue &q) { return partition::duration_of(q, "quota.preemption.delay", 0); }

}  // namespace

bool partition::is_over(const queue &q, const usage &used) const {
  if (!shared.has.quotas || !config.quota_preemption_enabled || q.path == "root" || delay_of(q) == 0) return false;
  const amount_map allocated = used.of_queue(q.path).allocated;
  return std::any_of(q.max.begin(), q.max.end(),
                     [&](const auto &item) { return amount_of(allocated, item.first) > item.second; });
}

void partition::look_at_quota(const std::string &path) {
  queue &q = queues.at(path);
  const int64_t delay = delay_of(q);
  if (!config.quota_preemption_enabled || delay == 0 || q.max.empty()) return;  // sums are dear
  if (!is_over(q, measure())) return;
  if (q.quota_armed_ms && q.quota_delay_ms == delay) return;
  shared.disarm([&](const timer &t) { return t.where == this && t.queue == path; });
  if (!q.quota_armed_ms) q.quota_armed_ms = shared.now_ms;
  q.quota_delay_ms = delay;
  timer t{std::max(shared.now_ms, add_saturating(*q.quota_armed_ms, delay)), 0, timer_kind::quota, this};
  t.queue = path;
  shared.arm(t);
}

void partition::look_at_quotas_in(const queue &q) {
  for (const queue *child : children_of(q.path)) look_at_quotas_in(*child);
  look_at_quota(q.path);
}

void partition::look_at_quotas_on(const std::string &path) {
  std::vector<std::string> up = path_down(path);
  std::reverse(up.begin(), up.end());
  for (const std::string &at : up) look_at_quota(at);
}

// What it, or what is below it, has beyond a max of its own, at most its spare.
amount_map partition::beyond_max(const queue &q, const usage &used) const {
  amount_map below, own = used.of_queue(q.path).allocated;
  for (const queue *child : children_of(q.path)) add(below, beyond_max(*child, used));
  subtract(own, used.of_queue(q.path).ending);
  subtract(own, q.max);
  amount_map out = spare_of(q, used);
  for (auto &[type, amount] : out) {
    const int64_t over = q.max.contains(type) ? amount_of(own, type) : 0;
    amount = std::min(amount, std::max(over, amount_of(below, type)));
  }
  return out;
}

void partition::void_quotas() {
  for (auto &[path, q] : queues) {
    if (!q.quota_armed_ms || is_over(q, measure())) continue;
    q.quota_armed_ms.reset();
    shared.disarm([&, at = path](const timer &t) { return t.where == this && t.queue == at; });
  }
}

void partition::on_quota_timer(const std::string &path) {
  queue &q = queues.at(path);
  const usage used = measure();
  const tally of = used.of_queue(path);
  amount_map over = of.allocated;
  subtract(over, of.ending);
  subtract(over, q.max);
  amount_map wanted;
  for (const auto &[type, most] : q.max) {
    const int64_t amount = std::min(amount_of(over, type), amount_of(spare_of(q, used), type));
    if (amount > 0) wanted[type] = amount;
  }
  std::vector<candidate> victims;
  give_back(q, wanted, used, victims);
  take_the_rest(q, wanted, used, victims);
  for (const candidate &c : victims) take_victims({c}, 0, messages::preempted_for_quota(path));
  q.quota_armed_ms.reset();
  look_at_quota(path);
}

void partition::take_the_rest(const queue &q, const amount_map &wanted, const usage &used,
                              std::vector<candidate> &victims) {
  amount_map left;
  for (const auto &[type, amount] : wanted) {
    int64_t given = 0;
    for (const candidate &c : victims) given = add_saturating(given, amount_of(c.what->resources, type));
    if (given < amount) left[type] = amount - given;
  }
  if (left.empty()) return;
  const auto lies_below = [](const std::string &at, const std::string &above) { return at.starts_with(above + "."); };
  const std::vector<candidate> of_leaves = victims;
  std::vector<candidate> taken = victims, looked_at;
  const auto may = [&](const candidate &c) {
    const std::vector<std::string> path = path_down(c.owner->queue);
    return std::all_of(path.begin(), path.end(), [&](const std::string &at) {
      if (!lies_below(at, q.path)) return true;
      const queue &below = *find_queue(at);
      amount_map in_use = used.of_queue(at).allocated;
      subtract(in_use, used.of_queue(at).ending);
      for (const candidate &t : taken) {
        if (t.owner->queue == at || lies_below(t.owner->queue, at)) subtract(in_use, t.what->resources);
      }
      subtract(in_use, c.what->resources);
      return std::all_of(left.begin(), left.end(), [&](const auto &item) {
        const std::string &type = item.first;
        const bool guaranteed = below.guaranteed.contains(type) && amount_of(c.what->resources, type) > 0;
        return !guaranteed || amount_of(in_use, type) >= below.guaranteed.at(type);
      });
    });
  };
  const auto given = [&] {
    amount_map out;
    for (const auto &[type, amount] : wanted) {
      int64_t sum = 0;
      for (const candidate &c : taken) sum = add_saturating(sum, amount_of(c.what->resources, type));
      out[type] = std::min(sum, amount);
    }
    return out;
  };
  const auto has_of = [&](const candidate &c, const std::set<std::string> &wanted_ones) {
    return std::any_of(wanted_ones.begin(), wanted_ones.end(),
                       [&](const std::string &type) { return amount_of(c.what->resources, type) > 0; });
  };
  const auto still_wanted = [&] {
    std::set<std::string> out;
    const amount_map so_far = given();
    for (const auto &[type, amount] : wanted) {
      if (amount_of(so_far, type) < amount) out.insert(type);
    }
    return out;
  };
  const std::set<std::string> at_first = still_wanted();
  for (const candidate &c : all_candidates(false)) {
    if (c.owner->queue != q.path && !lies_below(c.owner->queue, q.path)) continue;
    if (std::any_of(of_leaves.begin(), of_leaves.end(), [&](const candidate &v) { return v.what == c.what; })) continue;
    if (has_of(c, at_first)) looked_at.push_back(c);
  }
  lineup line(looked_at);
  while (const auto c = line.next(taken)) {
    if (has_of(*c, still_wanted()) && may(*c)) taken.push_back(*c);
  }
  if (taken.size() == of_leaves.size()) return;
  const amount_map all_give = given();
  const auto with = [&](std::vector<candidate> more) {
    more.insert(more.begin(), of_leaves.begin(), of_leaves.end());
    return more;
  };
  const auto put_back = [&](std::vector<candidate> from) {
    for (const candidate &c : largest_first(from, used.root_max)) {
      const std::vector<candidate> before = taken;
      std::erase_if(taken, [&](const candidate &t) { return t.what == c.what; });
      if (given() != all_give) taken = before;
    }
  };
  const std::vector<candidate> more(taken.begin() + static_cast<std::ptrdiff_t>(of_leaves.size()), taken.end());
  const candidate *alone = nullptr;
  const auto rank = [&](const candidate &c) {
    return std::tuple(level_of({c}), share_of(c.what->resources, used.root_max));
  };
  for (const candidate &c : looked_at) {
    taken = of_leaves;
    const bool possible = level_of({c}) <= level_of(more) && may(c);
    taken = with({c});
    if (possible && given() == all_give && (alone == nullptr || rank(c) < rank(*alone))) alone = &c;
  }
  taken = with(alone != nullptr ? std::vector<candidate>{*alone} : more);
  if (alone == nullptr) {
    put_back(more);
    std::sort(taken.begin() + static_cast<std::ptrdiff_t>(of_leaves.size()), taken.end(), victim_before);
  }
  put_back(taken);
  std::sort(taken.begin(), taken.end(), victim_before);
  victims = taken;
}

void partition::give_back(const queue &q, const amount_map &wanted, const usage &used, std::vector<candidate> &out) {
  if (!any_positive(wanted)) return;
  amount_map left_over = wanted, sum;
  std::map<std::string, amount_map> firsts, spares;
  for (const queue *child : children_of(q.path)) {
    amount_map &first = firsts[child->path];
    for (const auto &[type, amount] : beyond_max(*child, used))
      first[type] = std::min(amount, amount_of(left_over, type));
    subtract(left_over, first);
    spares[child->path] = spare_of(*child, used);
    subtract(spares[child->path], first);
    add(sum, spares[child->path]);
  }
  for (const queue *child : children_of(q.path)) {
    amount_map part = firsts[child->path];
    for (const auto &[type, amount] : wanted) {
      if (amount_of(sum, type) <= 0) continue;
      const int64_t spare = amount_of(spares[child->path], type);
      const wide share = static_cast<wide>(amount_of(left_over, type)) * spare / amount_of(sum, type);
      part[type] = add_saturating(part[type], std::min(static_cast<int64_t>(share), spare));
    }
    give_back(*child, part, used, out);
  }
  if (!q.leaf) return;
  amount_map left = wanted;
  std::vector<candidate> here;
  for (const candidate &c : all_candidates(false)) {
    const bool has_some = std::any_of(wanted.begin(), wanted.end(), [&](const auto &item) {
      return item.second > 0 && amount_of(c.what->resources, item.first) > 0;
    });
    if (c.owner->queue == q.path && has_some) here.push_back(c);
  }
  lineup line(here);
  while (const auto next = line.next(out)) {
    const candidate &c = *next;
    bool too_large = false;
    for (const auto &[type, amount] : wanted) {
      const int64_t own = amount_of(c.what->resources, type);
      too_large |= amount > 0 && own > amount_of(left, type);
    }
    if (too_large) continue;
    subtract(left, c.what->resources);
    out.push_back(c);
  }
}

}  // namespace tenon::naive
