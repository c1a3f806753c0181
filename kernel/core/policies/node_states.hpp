// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node states: the open nodes of a partition by what a policy that scores sees of them. What it says of one holds for
// all that are in the same state: scores are made once a state, and a cluster of many nodes has few of them.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text_hash.hpp"
#include "model/node_table.hpp"
#include "policies/bound_sort_policy.hpp"

namespace tenon::internal {

// A state has a number. One that no node is in keeps it for a while, for nodes come back to states that they were in;
// then another state gets it. What was made for a number is told from that by its stamp.
class node_states {
 public:
  node_states(node_table &table, const sort_policy &policy) : table_(table), policy_(policy) {}

  // The node's columns changed, it was added, removed, opened or closed. It is filed anew by refresh(). Of one that is
  // closed nobody tells: it stays filed until a search meets it.
  void touch(uint32_t slot);
  // The slot is nobody's, and may be another node's next.
  void removed(uint32_t slot);
  // All nodes are filed anew.
  void touch_all() { rebuild_ = true; }
  // The policy would say something else of the same nodes now.
  void scores_changed() { ++version_; }
  // Before every search.
  void refresh(uint32_t types);

  // Scores of another version are those of another policy, time or numbering.
  [[nodiscard]] uint64_t version() const { return version_; }
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(states_.size()); }
  [[nodiscard]] uint32_t stamp(uint32_t state) const { return summaries_[state].stamp; }
  [[nodiscard]] bool empty(uint32_t state) const { return summaries_[state].nodes == 0; }
  // What each of its nodes has free, by type.
  [[nodiscard]] const int64_t *free(uint32_t state) const { return free_.data() + size_t{state} * types_; }
  // The slots of its nodes, by id.
  [[nodiscard]] std::span<const uint32_t> nodes_in(uint32_t state) const { return states_[state].nodes(); }
  // The first of its nodes, which has some.
  [[nodiscard]] uint32_t slot_in(uint32_t state) const { return nodes_in(state).front(); }
  [[nodiscard]] uint64_t first_number(uint32_t state) const { return table_.order_number(slot_in(state)); }

  // States that got a new first node: one before those that were there, or one where there was none. In the order in
  // which they did, by a number that counts all that did so far: those from first_raised() on are known.
  [[nodiscard]] uint64_t raised() const { return raised_before_ + raised_.size(); }
  [[nodiscard]] uint64_t first_raised() const { return raised_before_; }
  [[nodiscard]] uint32_t raised_at(uint64_t at) const { return raised_[at - raised_before_]; }

  static constexpr uint32_t no_state = ~uint32_t{0};

 private:
  struct members {
    boost::container::small_vector<uint32_t, 4> slots;  // by id from `head` on
    size_t head = 0;
    uint64_t emptied = 0;  // when its last node left
    const std::string *text = nullptr;

    [[nodiscard]] std::span<const uint32_t> nodes() const { return {slots.data() + head, slots.size() - head}; }
    void insert(uint32_t slot, const node_table &table);
    void erase(uint32_t slot, const node_table &table);
  };
  // Apart from the rest, for whoever looks at many.
  struct summary {
    uint32_t stamp = 1;
    uint32_t nodes = 0;
  };
  struct emptied_state {
    uint32_t number;
    uint64_t when;
  };

  [[nodiscard]] bool is_rebuilt() const { return rebuild_ || numbering_ != table_.numbering(); }
  void look_at_columns();
  void rebuild();
  void file(uint32_t slot);
  void unfile(uint32_t slot);
  void describe(uint32_t slot);
  [[nodiscard]] uint32_t number_for_text();
  [[nodiscard]] uint32_t oldest_empty();
  void note_raised(uint32_t number);

  node_table &table_;
  const sort_policy &policy_;
  std::vector<const node_table::grouping *> groupings_;  // of the attributes that the policy counts by
  std::vector<const tenon_text *> attributes_;           // that it reads
  bool reads_totals_ = false, reads_ids_ = false, reads_all_attributes_ = false;
  uint32_t types_ = 0;
  std::vector<members> states_;
  std::vector<summary> summaries_;  // by state
  std::vector<int64_t> free_;       // by state and type
  std::unordered_map<std::string, uint32_t, text_hash> by_text_;
  std::vector<uint32_t> state_of_;  // by slot
  std::deque<emptied_state> empty_;
  uint64_t emptied_ = 0;
  size_t live_ = 0;  // states with nodes
  std::vector<uint32_t> raised_;
  uint64_t raised_before_ = 0;
  std::string text_;  // of the node that is filed
  std::vector<uint32_t> touched_;
  std::vector<uint8_t> is_touched_;
  uint64_t numbering_ = ~uint64_t{0};
  uint64_t version_ = 1;
  bool rebuild_ = true;
};

}  // namespace tenon::internal
