// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Scored order: the states of nodes by a policy's score for asks of one class, as far as somebody looked.
#pragma once

#include <cstdint>
#include <vector>

#include "model/ask_class.hpp"
#include "policies/node_states.hpp"
#include "policies/policy_batch.hpp"

namespace tenon::internal {

// A state stands in it by its score and the id of its first node; that of one whose first node went is found anew
// when a search comes to it. Those that were looked at are sorted, the others are not: mostly the first few are enough,
// and the next generation of scores comes before the rest is needed. States that come in between are put where they
// belong.
class scored_order {
 public:
  // `what_fits`: states that have no room for the asks are not scored at all.
  enum class contents : uint8_t { what_fits, everything };
  // The class and the facts of its asks outlive the order.
  scored_order(node_table &table, node_states &states, sort_policy &policy, const ask_class &need,
               const ask_facts &facts, contents which)
      : table_(table), states_(states), policy_(policy), need_(need), facts_(facts), which_(which) {}

  // Scores what is new, in one batch call of the policy. False: the policy failed. Every search comes after it, and it
  // after the one of the states.
  bool refresh(const call_context &context);
  // States for whose node `changed(slot)` is true are scored anew by the next refresh().
  template <class Changed>
  void forget_if(Changed &&changed);

  // The first node in order for which `accept(slot)` is true; or no_slot. Counts the nodes that it looked at.
  template <class Accept>
  uint32_t first_fit(uint64_t &examined, Accept &&accept);

  // Of the nodes for which `accept(slot)` is true, the one that lacks least of what the asks need; of those that lack
  // equally little, the first in order. no_slot: there is none. Of an order that holds everything.
  template <class Accept>
  uint32_t least_lacking(uint64_t &examined, Accept &&accept);

  static constexpr uint32_t no_slot = ~uint32_t{0};

  // What an order holds for a state that it scored.
  [[nodiscard]] static constexpr size_t bytes_of_state(uint32_t key_words) {
    return sizeof(held) + sizeof(entry) + key_words * sizeof(uint64_t);
  }

  // The devices that the policy chose on the node that first_fit() found last; of no type where it chooses none.
  [[nodiscard]] device_choice choice() const {
    return chosen_type_ == no_type ? device_choice{} : device_choice{chosen_type_, key_of(found_)[words_]};
  }

 private:
  static constexpr size_t first_chunk = 64, most_sorted = 512;
  static constexpr uint64_t no_number = ~uint64_t{0};

  struct entry {
    uint64_t first;  // word of its key
    uint32_t state;
    uint32_t key;     // its place among the keys
    uint64_t number;  // of the first node of the state, or of one that was it
  };
  // What is known of a state.
  struct held {
    uint32_t stamp = 0;  // of what was scored; 0: nothing
    uint32_t key = no_slot;
    uint64_t number = no_number;  // of its entry; no_number: it has none
  };
  // Where a search stands: what it passed is before `kept`, what it did not come to from `at` on.
  struct walk {
    size_t at = 0, kept = 0;
  };

  void start(const call_context &context);
  void consider(uint32_t state);
  void keep_key(uint32_t state, const uint64_t *key);
  void add(uint32_t state);
  bool sort_more();
  void drop(const entry &e);
  void compact();
  [[nodiscard]] const uint64_t *key_of(uint32_t key) const { return keys_.data() + size_t{key} * stride_; }
  // Another one stands for the state, or none should.
  [[nodiscard]] bool is_gone(const entry &e) const {
    const held &h = held_[e.state];
    return h.number != e.number || h.key != e.key || h.stamp != states_.stamp(e.state) || states_.empty(e.state);
  }
  // <0, 0 or >0 by score.
  [[nodiscard]] int compare(const entry &a, const entry &b) const;
  [[nodiscard]] bool before(const entry &a, const entry &b) const {
    const int order = compare(a, b);
    return order != 0 ? order < 0 : a.number < b.number;
  }
  // The next entry in order, at walk.at; null: there is none left.
  const entry *next(walk &w);
  void keep(walk &w) { sorted_[w.kept++] = sorted_[w.at++]; }
  void end(const walk &w);
  // The node may be had. One that was closed since is not looked at again until it is open.
  template <class Accept>
  bool takes(uint32_t slot, uint64_t &examined, Accept &accept);

  node_table &table_;
  node_states &states_;
  sort_policy &policy_;
  const ask_class &need_;
  const ask_facts &facts_;
  const contents which_;
  std::vector<entry> sorted_, rest_;              // none of the rest is before one that is sorted
  std::vector<uint64_t> keys_;                    // stride_ words each
  std::vector<held> held_;                        // by state
  std::vector<uint32_t> new_states_, new_slots_;  // to be scored
  key_batch fresh_;
  uint64_t version_ = 0;  // of the states
  uint64_t seen_ = 0;     // of those that were raised
  bool look_at_all_ = true;
  uint32_t words_ = 0, stride_ = 0;  // of a key in order, and with the one of devices
  type_index chosen_type_ = no_type;
  uint32_t found_ = 0;  // the key of the entry that was found last
};

}  // namespace tenon::internal

#include "policies/scored_order_search.hpp"
