// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask class: everything about an ask that decides where it may run, shared by all asks that are alike.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "model/class_amount.hpp"
#include "model/objects.hpp"
#include "model/reserved_units.hpp"

namespace tenon::internal {

// Devices that asks want by a tag: so many, each with the amount.
struct class_devices {
  type_index type;
  uint32_t count;
  int64_t amount;
  friend bool operator==(const class_devices &, const class_devices &) = default;
};

// What the predicates said of each node for asks of one signature. Shared by classes that differ in resources alone,
// unless a predicate reads these.
struct verdict_set {
  tag_list tags;  // of the ask that was judged, ascending by key
  int32_t priority = 0;
  std::string first_key;          // of the first ask that was judged so
  std::vector<uint8_t> verdicts;  // by node slot: unknown or 1 + TENON_PASS ...
  std::vector<uint16_t> reasons;  // by node slot: index into partition::reason_texts
  std::vector<uint32_t> open;     // slots whose verdict is unknown, in any order
  uint64_t first_arrival = 0;     // of the same ask
  uint64_t held = 0;              // a predicate failed, and these asks wait; 0: none did
  uint16_t held_for = 0;          // why: index as in reasons
  bool alone = false;             // of one ask
  uint32_t canary = 0;  // what the predicate of this canary said alone, counted from 1; 0: what all others did
  verdict_set *others = nullptr;  // with a canary: theirs, where there are any
  static constexpr uint8_t unknown = 0;
  static constexpr uint8_t pass = 1;
  static constexpr uint8_t refused = 2;

  // There are so many slots now.
  void cover(uint32_t slots) {
    while (verdicts.size() < slots) {
      open.push_back(static_cast<uint32_t>(verdicts.size()));
      verdicts.push_back(unknown);
      reasons.push_back(0);
    }
  }
  // No node is for these asks.
  void refuse_all(uint16_t reason) {
    std::fill(verdicts.begin(), verdicts.end(), refused);
    std::fill(reasons.begin(), reasons.end(), reason);
    open.clear();
  }
  void forget_all() {
    for (uint32_t slot = 0; slot < verdicts.size(); ++slot) forget(slot);
  }
  // The node there is another, or changed.
  void forget(uint32_t slot) {
    if (slot >= verdicts.size() || verdicts[slot] == unknown) return;
    verdicts[slot] = unknown;
    open.push_back(slot);
  }
};

// What the node order's score reads of an ask; the rest is nothing.
struct score_facts {
  int32_t priority = 0;
  tag_list tags;  // ascending by key
  friend auto operator<=>(const score_facts &, const score_facts &) = default;
};

struct ask_class {
  uint32_t id = 0;
  resources need;
  std::vector<class_amount> positive;  // the types that a node must have free
  uint64_t types = 0;                  // the same as a mask
  std::vector<class_devices> devices;  // by type; a type without entry takes them as the node's size says
  std::string required_node;
  int64_t timeout_ms = 0;               // of execution, where it decides which reserved nodes may be used
  verdict_set *judged = nullptr;        // null: no predicates
  const score_facts *scored = nullptr;  // null: no score reads tags or the priority
  bool blocked = false;                 // no node holds it: nothing changed since a search said so
  bool gangs_wait = false;              // for it to be blocked no more
  bool unreservable = false;            // nor may one be reserved for it
  uint32_t waiting = 0;                 // place among those that are blocked and require no node
  std::vector<parked_unit *> parked, parked_to_reserve;  // wait for a node; for one, or one to reserve
  std::vector<app_class *> parked_groups;                // the first, apart from their units
  std::vector<reserved_unit *> reserved;                 // of all leaves

  [[nodiscard]] bool requires_a_node() const { return !required_node.empty(); }
  // What of it a node with so much free lacks: the sum over its types of the part of the need that is missing.
  [[nodiscard]] double lacks(const int64_t *free) const {
    double sum = 0;
    for (const class_amount &p : positive) {
      const int64_t there = free[p.type];
      if (there <= 0) {
        sum += 1;
      } else if (p.amount > there) {
        sum += static_cast<double>(p.amount - there) / static_cast<double>(p.amount);
      }
    }
    return sum;
  }
  // Whatever is allocated there; its devices are not looked at.
  [[nodiscard]] bool fits_empty(const node &n) const {
    return std::all_of(positive.begin(), positive.end(), [&](const class_amount &p) {
      return p.amount <= sub_saturating(n.capacity[p.type], n.occupied[p.type]);
    });
  }
  [[nodiscard]] bool fits(const int64_t *free) const {
    for (const class_amount &p : positive) {
      if (free[p.type] < p.amount) return false;
    }
    return true;
  }
};

struct class_key {
  resources need;
  std::string required_node;
  int64_t timeout_ms = 0;
  verdict_set *judged = nullptr;
  const score_facts *scored = nullptr;
  std::vector<class_devices> devices = {};
  friend bool operator==(const class_key &, const class_key &) = default;
};
struct class_key_hash {
  size_t operator()(const class_key &key) const;
};

// Classes live as long as the partition; a class keeps its id.
class class_table {
 public:
  // The class of the key; `made` says whether it is new.
  ask_class &intern(const class_key &key, bool &made);
  [[nodiscard]] ask_class &operator[](uint32_t id) { return classes_[id]; }
  [[nodiscard]] const ask_class &operator[](uint32_t id) const { return classes_[id]; }
  [[nodiscard]] std::deque<ask_class> &all() { return classes_; }
  [[nodiscard]] size_t count() const { return classes_.size(); }

 private:
  std::deque<ask_class> classes_;
  boost::unordered_flat_map<class_key, uint32_t, class_key_hash> by_key_;
};

}  // namespace tenon::internal
