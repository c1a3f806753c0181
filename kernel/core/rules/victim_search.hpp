// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemption: which node an ask could have, and which allocations would have to give way for that.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/device_records.hpp"
#include "model/free_devices.hpp"
#include "model/node_table.hpp"
#include "model/queue.hpp"
#include "model/victims.hpp"
#include "rules/needed_victims.hpp"

namespace tenon::internal {

struct victim_search_access {
  const partition_config &config;
  const reservation_slab &reservations;
  const node_fitness &fitness;
  const placement_checks &checks;
  const node_table &nodes;
  const class_table &classes;
  const device_records &held_devices_of;
  const resources &total;  // of all nodes
  victim_room &room;
};

// Whether an ask may wait for allocations that are ending, and the node that may be reserved for it then. Null: all
// such nodes are reserved for others.
struct ending_room {
  bool is_there = false;
  node *where = nullptr;
};

// One search; what it needs of memory is kept for the next one. It reads, and changes nothing.
class victim_search : victim_search_access {
 public:
  explicit victim_search(const victim_search_access &all) : victim_search_access(all) {}

  // The node on which victims make room for the ask, and they, in the order in which they give way: guarantees first,
  // then the ask's own queue where it is `intra`. `only`: no other node than this one. Null: there is none. The nodes
  // are those without reservation of another ask, and last those on which more runs than they have.
  node *find(const ask &a, const ask_class &c, const node *only);
  [[nodiscard]] const std::vector<allocation *> &victims() const { return best_; }
  [[nodiscard]] ending_room find_ending(const ask &a, const ask_class &c);
  void outcome_changed();  // what is free on nodes is as if asks were placed, or not any more
  // What others of its gang, for which room was found before, take in its queues, and what gives way to them: none of
  // it is there any more for the next search. Room on nodes is not looked after here.
  void count_as_placed(const ask &a, const ask_class &c);
  void count_as_gone(const std::vector<allocation *> &victims);
  void forget_counted();
  // True if the queues have headroom for the ask, with what is counted so.
  [[nodiscard]] bool is_within_headroom(const ask &a, const ask_class &c) const;
  // There is a node that the ask could have, were it not reserved for another one. `own`: the ask's reservation.
  bool would_do_but_for_reservations(const ask &a, const ask_class &c, const reservation *own);
  // For people: why there is no such node; and whether something is guaranteed to the ask that its queue has not used
  // up.
  [[nodiscard]] std::string why_nobody(const ask &a, const ask_class &c);
  [[nodiscard]] bool has_guarantee_left(const ask &a, const ask_class &c);

 private:
  static constexpr uint32_t unknown = ~uint32_t{0};
  static constexpr size_t few_allocations = 200;

  // A queue on the path of the ask's leaf, the leaf first.
  struct level {
    queue *where = nullptr;
    int64_t ask_priority = 0;  // seen from it
  };
  // By how much a level's max is too little for the ask. `type` counts the ask's types above 0, here and below.
  struct shortage {
    size_t level = 0, type = 0;
    int64_t missing = 0;
  };
  // A queue whose guarantee protects what is in it. By type: used less guaranteed (INT64_MAX where nothing is
  // guaranteed), and what was taken of it.
  struct shield {
    std::vector<int64_t> over, given;
  };
  // A leaf in which there may be victims.
  struct leaf {
    bool open = false;    // some may give way
    bool fenced = false;  // `offset` is the priority of all in it, else added to theirs: seen from `common`
    int64_t offset = 0;
    size_t common = 0;                                // the lowest level that it is below
    boost::container::small_vector<int64_t, 4> over;  // by type, the least of its shields; INT64_MAX: it has none
    boost::container::small_vector<uint32_t, 4> shields;
    uint64_t counted_for = 0;                            // the node of this number
    boost::container::small_vector<int64_t, 4> counted;  // by type: what its candidates there may give together
  };
  // Of nodes the one with the lowest is the best: the highest level of its victims, their number, and their share.
  using node_rank = std::tuple<victim_rank, int64_t, double>;
  using ranked_allocation = std::pair<uint32_t, const allocation *>;  // the rank is its node's
  struct victim {
    allocation *who = nullptr;
    uint32_t from = 0;  // its leaf
    allocation &operator*() const { return *who; }
  };

  bool look_for_guarantee();
  bool look_within();
  void look_at_path();
  void count_in_queues(const queue &home, const resources &amounts, int64_t sign);
  [[nodiscard]] int64_t counted_in(const queue &q, type_index t) const;
  [[nodiscard]] int64_t claimed_by_others(const queue &q, type_index t) const;
  [[nodiscard]] int64_t used(const queue &q, type_index t) const;
  [[nodiscard]] int64_t missing_of_max(const queue &q, const class_amount &p) const;
  [[nodiscard]] bool exceeds_max(const queue &q) const;
  [[nodiscard]] bool is_guaranteed(const queue &q) const;
  [[nodiscard]] bool exceeds_guarantee(const queue &q) const;
  [[nodiscard]] bool has_guarantee_left() const;
  void find_top(bool fences = true);
  [[nodiscard]] bool has_claim() const { return first_claim_ < top_; }
  void find_shortages();
  search_mark &mark_of(queue &q) const;  // what this search knows of it
  uint32_t leaf_of(queue &q);
  uint32_t look_at_leaf(queue &q);
  void find_shields(leaf &l, queue &of);
  [[nodiscard]] bool is_candidate(const allocation &x, const leaf &l) const;
  [[nodiscard]] bool may_be_first(const allocation &x, const leaf &l) const;
  [[nodiscard]] bool may_be_taken(const victim &v) const;
  [[nodiscard]] int64_t amount(const allocation &x, size_t type) const {
    return classes[x.class_id].need[class_->positive[type].type];
  }
  void give_back(const victim &v, int sign);
  bool take(const victim &v);  // true
  [[nodiscard]] bool is_short(const shortage &s) const;
  [[nodiscard]] bool queues_are_short() const;
  [[nodiscard]] bool node_is_short() const;
  [[nodiscard]] bool node_is_short_of(size_t type) const;
  [[nodiscard]] bool relieves_queues(const victim &v) const;
  [[nodiscard]] bool relieves_node(const victim &v) const;
  static bool later(const victim &a, const victim &b);
  void gather(queue &below);
  [[nodiscard]] bool all_would_do() const;
  template <class F>
  void for_each_open_leaf(queue &below, F &&f);
  void count_open();
  // Of this type no leaf is open, as far as that is known.
  [[nodiscard]] bool nobody_gives(size_t type) const { return !open_types_.empty() && !open_types_[type]; }
  void count_candidates();
  [[nodiscard]] bool may_be_enough();
  const victim *elsewhere(size_t at);  // null: there are no more
  [[nodiscard]] bool may_be_had(const victim_summary &there, std::span<const ranked_allocation> ending);
  bool look_at(uint32_t slot);
  [[nodiscard]] bool may_be_better(victim_rank lowest) const;
  bool may_give_enough_there();
  bool take_on_node();
  bool take_for_queues(bool fits);
  bool take_for_node();
  void put_back();
  [[nodiscard]] double share_of_taken() const;
  [[nodiscard]] bool may_make_room(const node &n) const;
  [[nodiscard]] bool is_kept_for_another(const node &n) const;
  [[nodiscard]] bool is_reserved_for_another(const node &n) const;
  bool is_left_out(uint32_t slot);
  [[nodiscard]] bool may_have(const node &n) const { return !is_kept_for_another(n) && may_make_room(n); }
  void sort_ending();
  [[nodiscard]] std::span<const ranked_allocation> ending_between(uint32_t rank, uint32_t end) const;  // of nodes
  // What counts as free.
  [[nodiscard]] std::span<const ranked_allocation> ending_on(const node &n) const;
  [[nodiscard]] bool some_end_in(uint32_t block) const;
  [[nodiscard]] bool fits_queues_after();
  [[nodiscard]] bool fits_after(const node &n, std::span<const ranked_allocation> ending);
  void start_devices(free_devices &out, const node &n, std::span<const ranked_allocation> ending) const;
  void start_for(const ask &a, const ask_class &c);
  void start_search();
  bool some_kept_node_would_do(const reservation *but);
  bool may_end_with(uint32_t slot);
  node *search(const node *only);
  [[nodiscard]] bool has_room(const node &n, std::span<const victim> gone, const allocation *but) const;
  [[nodiscard]] bool some_node_has_room();
  [[nodiscard]] bool is_one_too_many(const victim &v);

  boost::unordered_flat_set<const allocation *> gone_;
  boost::unordered_flat_map<const queue *, std::vector<int64_t>> counted_;  // by type: what is as if used there
  uint64_t search_ = 0;
  const ask *ask_ = nullptr;
  const ask_class *class_ = nullptr;
  bool within_ = false;                                               // victims are of the ask's own leaf
  bool counts_ending_ = false;                                        // as free
  bool takes_overcommitted_ = true, left_out_overcommitted_ = false;  // nodes
  size_t first_claim_ = 0;  // the lowest level with a guarantee: what is below it gives way to nobody
  size_t top_ = 0;          // the highest level below which there may be victims
  std::vector<level> levels_;
  std::vector<shortage> short_;
  std::vector<leaf> leaves_;
  std::vector<shield> shields_;
  std::vector<victim> sorted_, heap_;  // candidates that could relieve a queue: the first of them, and the others
  bool gathered_ = false, hopeless_ = false;  // they are known; all that there are are not enough
  size_t looked_at_ = 0;                      // allocations on nodes so far
  uint64_t steps_ = 0;                        // candidates so far
  uint64_t counted_nodes_ = 0;
  size_t open_ = 0;                  // allocations of open leaves
  std::vector<bool> open_types_;     // some leaf is not protected in the type; empty: this and `open_` are not known
  std::vector<int64_t> candidates_;  // by slot and type, what they hold together; empty: not counted
  node *node_ = nullptr;             // that is looked at
  bool fits_ = false;                // the ask fits it
  bool devices_concern_it_ = false;  // the ask
  node_rank best_rank_;              // of the best so far
  std::vector<int64_t> given_;       // by level and type
  std::vector<int64_t> missing_on_node_;
  std::vector<int64_t> largest_on_node_;  // by type: the most that one has that may give way there
  std::vector<int64_t> total_;            // by type, of all nodes
  std::vector<uint8_t> lacking_;          // by type: the node or a queue was short before anything was taken
  free_devices devices_;                  // of the node, with what is ending there
  std::vector<victim> on_node_, taken_;
  size_t in_sorted_ = 0;                   // so many of them were looked at for the node
  std::vector<ranked_allocation> ending_;  // by rank
  node *best_node_ = nullptr;
  std::vector<allocation *> best_;
  bool looked_at_fitting_ = false;     // all nodes that the ask fits need the same victims
  std::optional<bool> some_has_room_;  // what some_node_has_room() says
};

inline uint32_t victim_search::leaf_of(queue &q) {
  return q.mark.search == search_ && q.mark.leaf != unknown ? q.mark.leaf : look_at_leaf(q);
}

}  // namespace tenon::internal
