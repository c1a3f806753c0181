// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Guarantees: what one ask may claim of other queues, and what protects these. docs/decisions-preemption.md, section 4.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "partition.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {

inline bool lies_in(const std::string &queue, const std::string &above) {
  return queue == above || queue.starts_with(above + ".");
}

class guarantees {
 public:
  guarantees(partition &p, const application &a, const ask &k, const usage &used)
      : p_(p), a_(a), k_(k), used_(used), leaf_(*p.find_queue(a.queue)) {}

  // A guarantee on its path says something of a type that it wants.
  [[nodiscard]] bool is_guaranteed() const {
    const std::vector<std::string> path = path_down(leaf_.path);
    return std::any_of(path.begin(), path.end(), [&](const std::string &at) {
      const amount_map &guaranteed = p_.find_queue(at)->guaranteed;
      return std::any_of(guaranteed.begin(), guaranteed.end(),
                         [&](const auto &amount) { return amount_of(k_.resources, amount.first) > 0; });
    });
  }

  [[nodiscard]] std::string fence_of() const {
    std::vector<std::string> path = path_down(leaf_.path);
    for (; path.size() > 1; path.pop_back()) {
      const queue &q = *p_.find_queue(path.back());
      if (p_.preemption_text(q).contains("fence")) return q.path;
      amount_map with = taken_from(q.path);
      add(with, k_.resources);
      for (const auto &[type, amount] : k_.resources) {
        if (amount > 0 && q.max.contains(type) && with[type] > q.max.at(type)) return q.path;
      }
    }
    return path.back();
  }

  [[nodiscard]] std::string lowest_common(const std::string &other) const {
    std::string out = "root";
    for (const std::string &at : path_down(other)) {
      if (lies_in(leaf_.path, at)) out = at;
    }
    return out;
  }

  [[nodiscard]] int64_t seen_from(const std::string &above, const std::string &from, int64_t priority) const {
    std::vector<std::string> path = path_down(from);
    for (; path.back() != above; path.pop_back()) {
      const queue &q = *p_.find_queue(path.back());
      priority = partition::is_priority_fence(q) ? partition::offset_of(q) : priority + partition::offset_of(q);
    }
    return priority;
  }

  // What is allocated in the queue and kept there, but for the ask; less what is ending there, where that counts as
  // free.
  [[nodiscard]] amount_map taken_from(const std::string &path) const {
    amount_map out = used_.taken_from(path, k_);
    if (counts_ending_) subtract(out, used_.of_queue(path).ending);
    return out;
  }

  // What asks need for which something is kept, but for this one.
  [[nodiscard]] amount_map claimed_by_others(const std::string &path) const {
    amount_map out = used_.of_queue(path).claimed;
    if (lies_in(leaf_.path, path) && p_.claims_room(k_)) subtract(out, k_.resources);
    return out;
  }
  // Guaranteed less used, with what is taken given back.
  [[nodiscard]] amount_map left_of_guarantee(const queue &q) const {
    const tally of = used_.of_queue(q.path);
    amount_map in_use = of.allocated;
    subtract(in_use, of.ending);
    add(in_use, claimed_by_others(q.path));
    subtract(in_use, taken_in(q.path));
    amount_map out;
    for (const auto &[type, amount] : q.guaranteed) out[type] = sub_saturating(amount, amount_of(in_use, type));
    return out;
  }
  [[nodiscard]] amount_map taken_in(const std::string &path) const {
    amount_map out;
    for (const candidate &c : taken_) {
      if (lies_in(c.owner->queue, path)) add(out, c.what->resources);
    }
    return out;
  }

  // A guarantee of the ask's queues that do not have the victim is not used up, and none of them with the ask.
  [[nodiscard]] bool has_claim_below(const std::string &meeting) {
    taken_.clear();
    bool found = false;
    for (const std::string &at : path_down(leaf_.path)) {
      if (lies_in(meeting, at)) continue;
      for (const auto &[type, left] : left_of_guarantee(*p_.find_queue(at))) {
        const int64_t wanted = amount_of(k_.resources, type);
        if (wanted > 0 && wanted > left) return false;
        found |= wanted > 0;
      }
    }
    return found;
  }

  // The least that the queues of this leaf which do not have the ask as well have beyond their guarantees.
  [[nodiscard]] amount_map beyond_guarantees(const std::string &home) const {
    amount_map out;
    for (const std::string &at : path_down(home)) {
      if (lies_in(leaf_.path, at)) continue;
      for (const auto &[type, left] : left_of_guarantee(*p_.find_queue(at))) {
        const int64_t beyond = sub_saturating(0, left);
        const auto known = out.find(type);
        out[type] = known == out.end() ? beyond : std::min(known->second, beyond);
      }
    }
    return out;
  }
  [[nodiscard]] bool is_protected(const std::string &home) {
    taken_.clear();
    const amount_map beyond = beyond_guarantees(home);
    return std::all_of(k_.resources.begin(), k_.resources.end(), [&](const auto &item) {
      return item.second <= 0 || (beyond.contains(item.first) && beyond.at(item.first) <= 0);
    });
  }

 protected:
  partition &p_;
  const application &a_;
  const ask &k_;
  const usage &used_;
  const queue &leaf_;
  std::vector<candidate> taken_;  // are as if they were gone
  bool counts_ending_ = false;
};

}  // namespace tenon::naive
