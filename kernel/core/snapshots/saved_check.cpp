// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "model/ask_shapes.hpp"
#include "snapshots/restored_partition.hpp"
#include "snapshots/saved_checks.hpp"
#include "tenon/kernel/devices.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::internal {
namespace {

class checker {
 public:
  checker(const saved_partition &p, const kernel_options &options) : p_(p), options_(options) {}

  // Where something is wrong, or "".
  std::string run() {
    if (p_.types.size() > options_.max_resource_types || !are_unique(p_.types)) return "types";
    levels_.reserve(p_.queues.size());
    where_.check_each("queues", p_.queues, [&](const saved_queue &q, size_t i) { return is_queue(q, i); });
    if (p_.queues.empty() || !are_unique_children()) where_.note("queues", 0);
    std::set<std::string_view> ids;
    where_.check_each("nodes", p_.nodes, [&](const saved_node &n, size_t) {
      return ids.insert(n.id).second && n.state != node_state::absent && n.state != node_state::removed &&
             are_amounts(n.capacity, true) && are_amounts(n.occupied, false) && is_divided(n.attributes);
    });
    where_.check_each("needs", p_.needs, [&](const saved_need &n, size_t) { return is_need(n); });
    ids.clear();
    where_.check_each("applications", p_.applications,
                      [&](const saved_application &a, size_t i) { return is_application(a, i, ids); });
    check_asks();
    uint64_t last = 0;
    where_.check_each("allocations", p_.allocations, [&](const saved_allocation &x, size_t) {
      const bool later = x.sequence > last && x.sequence < p_.next_allocation;
      last = x.sequence;
      return later && x.ask < p_.asks.size() && x.node < p_.nodes.size() && x.need < p_.needs.size() &&
             (!x.placeholder || !x.task_group.empty()) && is_there(x.state) && is_detail(x.devices, p_.needs[x.need]) &&
             has_room_for(p_.needs[x.need], 1, held_);
    });
    ids.clear();
    where_.check_each("foreign", p_.foreign, [&](const saved_foreign &x, size_t) {
      return x.state == allocation_state::allocated && x.node < p_.nodes.size() && x.need < p_.needs.size() &&
             ids.insert(x.key).second && are_held(x.devices, &p_.needs[x.need]) && is_occupied(x);
    });
    where_.check_each("replacements", p_.replacements, [&](const saved_replacement &r, size_t) {
      uint32_t need = r.terms.need;
      if (need == not_saved && r.real < p_.asks.size()) need = p_.asks[r.real].need;
      return are_held(r.devices, nullptr) && (need >= p_.needs.size() || has_room_for(p_.needs[need], 1, held_));
    });
    if (where_.text().empty() && p_.shapes.followed && !are_shapes(p_.shapes)) return "shapes";
    return where_.text().empty() ? wrong_link(p_) : where_.text();
  }

 private:
  static bool are_unique(const std::vector<std::string> &all) {
    return std::set<std::string_view>(all.begin(), all.end()).size() == all.size();
  }
  // Ascending by type.
  [[nodiscard]] bool are_amounts(const saved_amounts &of, bool none_negative) const {
    for (size_t i = 0; i < of.size(); ++i) {
      const auto &[type, amount] = of[i];
      if (type >= p_.types.size() || (i > 0 && of[i - 1].type >= type) || (none_negative && amount < 0)) return false;
    }
    return true;
  }
  // What all allocations and replacements have together has the bound of every sum, and so has what all asks want.
  [[nodiscard]] bool has_room_for(const saved_need &need, int64_t times, std::vector<int64_t> &sums) const {
    sums.resize(p_.types.size());
    return std::all_of(need.amounts.begin(), need.amounts.end(), [&](const saved_amount &one) {
      int64_t more = 0;
      return !__builtin_mul_overflow(one.amount, times, &more) &&
             !__builtin_add_overflow(sums[one.type], more, &sums[one.type]) && sums[one.type] <= largest_sum;
    });
  }
  // What a node's occupied amounts have left, without the foreign allocations so far, has this one.
  [[nodiscard]] bool is_occupied(const saved_foreign &x) {
    auto [left, fresh] = unforeign_.try_emplace(x.node, p_.types.size());
    if (fresh) {
      for (const saved_amount &one : p_.nodes[x.node].occupied) left->second[one.type] = one.amount;
    }
    const saved_amounts &own = p_.needs[x.need].amounts;
    return std::all_of(own.begin(), own.end(), [&](const saved_amount &one) {
      return !__builtin_sub_overflow(left->second[one.type], one.amount, &left->second[one.type]) &&
             left->second[one.type] >= 0;
    });
  }
  [[nodiscard]] bool are_named(const amount_map &of) const {
    return std::all_of(of.begin(), of.end(), [&](const auto &one) { return has_type(one.first); });
  }
  [[nodiscard]] bool has_type(std::string_view name) const {
    return std::find(p_.types.begin(), p_.types.end(), name) != p_.types.end();
  }
  // -- Shapes of asks, as columns promise them to modules. --
  static bool are_counts(const std::vector<int64_t> &of) {
    return std::all_of(of.begin(), of.end(), [](int64_t count) { return count >= 0; });
  }
  // As many rows of one length.
  static bool are_rows(const std::vector<int64_t> &of, size_t rows, size_t longest) {
    return rows == 0 ? of.empty() : of.size() % rows == 0 && of.size() / rows <= longest;
  }
  [[nodiscard]] bool are_shapes(const saved_shapes &s) const {
    const size_t types = p_.types.size(), seen = s.counts.size();
    if (!are_unique(s.keys) || s.counted.size() > ask_shapes::most_shapes || seen > ask_shapes::most_shapes)
      return false;
    if (!std::has_single_bit(s.length) || s.length < ask_shapes::first_length || s.length > ask_shapes::longest)
      return false;
    if (s.asks >= s.length || !are_counts(s.counts)) return false;
    if (!are_rows(s.amounts, seen, types) || !are_counts(s.amounts)) return false;
    std::set<std::pair<std::vector<int64_t>, std::vector<std::string>>> counted;
    for (const auto &[amounts, tags, count] : s.counted) {
      if (count < 0 || tags.size() != s.keys.size() || amounts.size() > types || !are_counts(amounts)) return false;
      if ((!amounts.empty() && amounts.back() == 0) || !counted.emplace(amounts, tags).second) return false;
    }
    std::set<std::string_view> keys;
    for (const auto &[key, tags, values, totals] : s.seen_keys) {
      const bool known = std::find(s.keys.begin(), s.keys.end(), key) != s.keys.end() && keys.insert(key).second;
      if (!known || tags.size() != seen || !is_ascending(values)) return false;
      if (!are_rows(totals, values.size(), std::bit_ceil(std::max<size_t>(types, node_table::fewest_types))))
        return false;
    }
    return true;
  }
  // After those without a value come those with an empty one.
  static bool is_ascending(const std::vector<std::string> &of) {
    const bool both = of.size() > 1 && of[0].empty() && of[1].empty();
    return std::adjacent_find(of.begin() + (both ? 1 : 0), of.end(), std::greater_equal<>()) == of.end();
  }
  static bool is_bounded(double value, double most) { return std::isfinite(value) && std::abs(value) <= most; }
  [[nodiscard]] bool are_decayed(const std::vector<saved_decay> &of) const {
    constexpr double most_used = 1e35;  // of all there can be in the longest step
    for (const saved_decay &d : of) {
      if (d.half_life == 0 || d.changed_ms > INT64_MAX / 2 || d.changed_ms < INT64_MIN / 2) return false;
      if (!are_amounts(d.has, false) || d.by_type.size() > options_.max_resource_types) return false;
      for (const auto &[value, used] : d.by_type)
        if (!is_bounded(value, 1e19) || !is_bounded(used, most_used)) return false;
    }
    return true;
  }
  static bool has(const std::vector<saved_policy> &all, const std::string &name) {
    for (const saved_policy &p : all)
      if (p.name == name && p.is_bound) return true;
    return false;
  }
  static bool is_there(allocation_state s) {
    return s == allocation_state::proposed || s == allocation_state::allocated || s == allocation_state::preempting ||
           s == allocation_state::expiring || s == allocation_state::replacing;
  }

  // -- Devices, as they are checked where an RM tells them. --
  [[nodiscard]] bool is_divided(const saved_pairs &attributes) const {
    for (const auto &[key, value] : attributes) {
      const auto type = devices_type(key);
      if (type && (!is_device_type(*type) || !has_type(*type) || !parse_device_split(value))) return false;
    }
    return true;
  }
  static bool is_amount_of(const saved_need &need, uint32_t type, const device_split &split) {
    const auto amount = std::find_if(need.amounts.begin(), need.amounts.end(),
                                     [&](const saved_amount &one) { return one.type == type; });
    return split.count > 0 && split.count <= max_devices && split.amount > 0 && amount != need.amounts.end() &&
           split.sum() == amount->amount;
  }
  [[nodiscard]] bool is_need(const saved_need &n) const {
    if (!are_amounts(n.amounts, true)) return false;
    for (size_t i = 0; i < n.devices.size(); ++i) {
      const auto &[type, count, amount] = n.devices[i];
      if (i > 0 && n.devices[i - 1].type >= type) return false;
      if (!is_amount_of(n, type, {count, amount})) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_detail(const std::string &detail, const saved_need &need) const {
    const auto shares = parse_detail(detail);
    if (!shares) return false;
    for (const device_share &share : *shares) {
      const auto type = std::find(p_.types.begin(), p_.types.end(), share.type);
      if (type == p_.types.end()) return false;
      if (!is_amount_of(need, static_cast<uint32_t>(type - p_.types.begin()), share.split())) return false;
    }
    return true;
  }
  // Of a replacement's ask another need may be known by now.
  [[nodiscard]] bool are_held(const std::vector<saved_devices> &of, const saved_need *need) const {
    uint64_t types = 0;
    for (const auto &[type, amount, devices] : of) {
      if (type >= p_.types.size() || (types >> type & 1U) != 0 || amount <= 0 || devices == 0) return false;
      if (need != nullptr && !is_amount_of(*need, type, device_share{{}, amount, devices}.split())) return false;
      types |= uint64_t{1} << type;
    }
    return true;
  }

  // -- Queues: what was under one that is a leaf now goes. --
  [[nodiscard]] bool is_queue(const saved_queue &q, size_t at) {
    if (at == 0 ? q.parent != not_saved || q.leaf || q.name != "root" : q.parent >= at) return false;
    levels_.push_back(at == 0 ? 1 : levels_[q.parent] + 1);
    if (levels_.back() > options_.max_queue_depth || q.sequence >= p_.next_queue) return false;
    if (at > 0 && p_.queues[q.parent].leaf && q.state != object_state::draining) return false;
    for (const limit_config &limit : q.limits)
      if (!are_named(limit.max_resources)) return false;
    return are_named(q.child_template.guaranteed) && are_named(q.child_template.max) &&
           are_amounts(q.guaranteed, false) && are_amounts(q.max, false) && are_decayed(q.decayed) &&
           has(q.leaf ? p_.application_orders : p_.queue_orders, q.order);
  }
  [[nodiscard]] bool are_unique_children() const {
    std::set<std::pair<uint32_t, std::string_view>> names;
    for (const saved_queue &q : p_.queues)
      if (!names.emplace(q.parent, q.name).second) return false;
    return true;
  }

  // Those that ended come last, and have nothing.
  [[nodiscard]] bool is_application(const saved_application &a, size_t at, std::set<std::string_view> &ids) const {
    if (a.place > 2 || !are_amounts(a.placeholder_ask, true) || !are_decayed(a.decayed)) return false;
    if (!are_ended(a.placeholders)) return false;
    if (a.submission >= p_.next_submission) return false;
    const saved_application *before = at == 0 ? nullptr : &p_.applications[at - 1];
    const bool is_over = a.state == application_state::rejected || a.state == application_state::completed ||
                         a.state == application_state::failed;
    if (a.ended != 0) return is_over && a.ended < p_.next_end && (before == nullptr || before->ended < a.ended);
    if (is_over || a.state == application_state::expired) return false;
    if (before != nullptr && (before->ended != 0 || before->submission >= a.submission)) return false;
    return a.queue < p_.queues.size() && p_.queues[a.queue].leaf && ids.insert(a.id).second &&
           (a.chosen_order.empty() || has(p_.chosen_orders, a.chosen_order)) && (!a.in_canary || p_.has_canary);
  }

  // Ascending by task group, and only groups of which placeholders ended.
  static bool are_ended(const std::vector<saved_application::ended_placeholders> &of) {
    constexpr int64_t most = int64_t{1} << 62;  // of one group: leaves room for those that are asked for and held
    std::string_view before;
    for (const auto &[group, replaced, timed_out] : of) {
      if (group <= before || replaced < 0 || timed_out < 0) return false;
      if (replaced > most || timed_out > most - replaced || replaced + timed_out == 0) return false;
      before = group;
    }
    return true;
  }

  void check_asks() {
    std::set<std::pair<uint32_t, std::string_view>> keys;
    uint64_t last = 0;
    where_.check_each("asks", p_.asks, [&](const saved_ask &a, size_t) {
      for (const saved_ask::refused_node &r : a.refusals)
        if (r.node >= p_.nodes.size()) return false;
      const bool later = a.arrival > last && a.arrival < p_.next_arrival;
      last = a.arrival;
      const bool is_state =
          a.state == ask_state::pending || a.state == ask_state::allocated || a.state == ask_state::released;
      return later && is_state && is_active(a.application) && keys.emplace(a.application, a.key).second &&
             a.need < p_.needs.size() && a.told <= 2 && (!a.placeholder || !a.task_group.empty()) && a.placed >= 0 &&
             a.max_allocations >= 0 && (a.state == ask_state::pending) == (a.placed < a.max_allocations) &&
             has_room_for(p_.needs[a.need], std::max(0, a.max_allocations - a.placed), asked_);
    });
  }
  [[nodiscard]] bool is_active(uint32_t application) const {
    return application < p_.applications.size() && p_.applications[application].ended == 0;
  }

  const saved_partition &p_;
  const kernel_options &options_;
  std::vector<uint32_t> levels_;                        // of queues, the root's is 1
  std::vector<int64_t> held_;                           // by allocations, by type
  std::vector<int64_t> asked_;                          // by asks
  std::map<uint32_t, std::vector<int64_t>> unforeign_;  // by node: occupied by nothing that is listed
  wrong_place where_;
};

}  // namespace

std::optional<refusal> problem_with(const saved_state &s, const kernel_options &options) {
  const auto refuse = [](std::string where) {
    return refusal{std::move(where), "a state whose parts name each other", "it is not what a scheduler saves",
                   "save it again"};
  };
  std::set<std::string_view> managers;
  for (size_t i = 0; i < s.rms.size(); ++i) {
    if (!managers.insert(s.rms[i].id).second) return refuse("state, rms[" + std::to_string(i) + "]");
  }
  std::set<std::pair<std::string_view, std::string_view>> names;
  uint32_t last = 0;
  for (size_t i = 0; i < s.partitions.size(); ++i) {
    const saved_partition &p = s.partitions[i];
    const std::string where = "state, partitions[" + std::to_string(i) + "]";
    if (!names.emplace(p.rm, p.name).second || !managers.contains(p.rm)) return refuse(where);
    if (p.number <= std::exchange(last, p.number) || p.number > s.partitions_made) return refuse(where);
    if (const std::string inner = checker(p, options).run(); !inner.empty()) return refuse(where + '.' + inner);
  }
  if (const std::string inner = wrong_timer(s); !inner.empty()) return refuse("state, " + inner);
  return std::nullopt;
}

}  // namespace tenon::internal
