// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemption for a guarantee, and within a queue: docs/decisions-preemption.md, section 4.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "guarantees.hpp"
#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {
namespace {

bool shares_a_type(const amount_map &a, const amount_map &b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const auto &item) { return item.second > 0 && amount_of(b, item.first) > 0; });
}

bool is_ending(const allocation &x) {
  return x.state == allocation_state::preempting || x.state == allocation_state::expiring;
}

bool has_waited(const ask &k) { return k.reserve_from_ms != INT64_MIN; }

// "What if these were gone?", for one ask.
class question : guarantees {
 public:
  struct answer {
    const node *where = nullptr;
    std::vector<candidate> victims;
    double share = 0;  // of all that they hold

    [[nodiscard]] std::tuple<victim_level, size_t, double> rank() const {
      return {level_of(victims), victims.size(), share};
    }
  };

  using guarantees::guarantees;
  using guarantees::is_guaranteed;

  // The best answer for the guarantee, else within the queue where that may be. Overcommitted nodes come last.
  std::optional<answer> best(bool within) {
    counts_ending_ = !has_waited(k_);
    overcommitted_ = false;
    std::optional<answer> out = best_of_nodes(within);
    if (!out && !is_held_off(within)) {
      overcommitted_ = true;
      counts_ending_ = !has_waited(k_);
      out = best_of_nodes(within);
    }
    overcommitted_ = true;
    counts_ending_ = false;
    return out;
  }

  // Whether it may wait for what is ending, and the node that it is to have for that, if there is one.
  std::pair<bool, const node *> room_of_what_ends(bool within) {
    if (!within && !has_some_claim()) return {};
    bool some_short = false;
    for (const std::string &at : path_down(leaf_.path)) {
      if (at == "root") continue;
      const amount_map &max = p_.find_queue(at)->max;
      const tally of = used_.of_queue(at);
      const auto less = [&](const amount_map &used) {
        amount_map left = max;
        for (auto &[type, amount] : left) amount = sub_saturating(amount, amount_of(used, type));
        return left;
      };
      some_short |= !short_of(less(taken_from(at)), false).empty();
      amount_map left = less(of.allocated);
      const amount_map ending =
          ending_in([&](const allocation &, const std::string &home) { return lies_in(home, at); });
      for (auto &[type, amount] : left) {
        amount =
            sub_saturating(add_saturating(amount, amount_of(ending, type)), amount_of(claimed_by_others(at), type));
      }
      if (!short_of(left, false).empty()) return {};
    }
    const reservation *own = p_.reservation_of(k_);
    std::vector<const node *> all = suitable_nodes(false);
    for (const node *n : suitable_nodes(true)) all.push_back(n);
    std::sort(all.begin(), all.end(), [](const node *x, const node *y) { return x->id < y->id; });
    std::pair<bool, const node *> out;
    for (const node *n : all) {
      free_capacity there = partition::free_on(*n, used_);
      bool some_ends = false, of_others = false;
      for (const auto &a : p_.applications) {
        for (const allocation &x : a->allocations) {
          if (x.node != n->id || !is_ending(x)) continue;
          some_ends = true;
          there.add(x.resources, x.detail);
        }
      }
      for (const reservation &r : p_.reservations_on(n->id)) {
        if (partition::is_for(r, a_, k_)) continue;
        of_others = true;
        subtract(there.free, p_.ask_of_reservation(r).resources);
      }
      if ((!some_ends && !some_short) || !partition::fits_in(*n, there, k_)) continue;
      if (own != nullptr && own->node == n->id) return {true, n};
      out.first = true;
      if (!of_others && out.second == nullptr) out.second = n;
    }
    return out;
  }

  // It would do, were it not for the reservations of others.
  bool is_held_off(bool within) {
    counts_ending_ = !has_waited(k_);
    overcommitted_ = false;
    const bool out = is_held_off_now(within);
    overcommitted_ = true;
    counts_ending_ = false;
    return out;
  }

 private:
  std::optional<answer> best_of_nodes(bool within) {
    std::optional<answer> out;
    if (look_for_guarantee()) out = best_answer();
    if (out || !within) return out;
    look_within_queue();
    return best_answer();
  }
  bool is_held_off_now(bool within) {
    const auto on_a_reserved_node = [&] {
      const auto nodes = suitable_nodes(true);
      return std::any_of(nodes.begin(), nodes.end(), [&](const node *n) { return would_do(*n); });
    };
    if (look_for_guarantee() && on_a_reserved_node()) return true;
    if (!within) return false;
    look_within_queue();
    return on_a_reserved_node();
  }

  // False: its guarantees are of no use to it at all.
  bool look_for_guarantee() {
    guaranteed_ = true;
    candidates_.clear();
    const std::string fence = fence_of();
    if (fence == leaf_.path || !is_guaranteed()) return false;
    for (const candidate &c : p_.all_candidates(false)) {
      const std::string &home = c.owner->queue;
      if (used_.gone.contains(c.what->sequence)) continue;
      if (home == leaf_.path || !lies_in(home, fence) || !shares_a_type(c.what->resources, k_.resources)) continue;
      if (is_protected(home)) continue;
      const std::string meeting = lowest_common(home);
      if (!has_claim_below(meeting)) continue;
      if (seen_from(meeting, home, c.what->priority) <= seen_from(meeting, leaf_.path, k_.priority))
        candidates_.push_back(c);
    }
    return true;
  }
  [[nodiscard]] bool has_some_claim() {
    const std::string fence = fence_of();
    const std::vector<std::string> path = path_down(leaf_.path);
    return is_guaranteed() && std::any_of(path.begin(), path.end() - 1, [&](const std::string &meeting) {
             return lies_in(meeting, fence) && has_claim_below(meeting);
           });
  }
  template <class Where>
  amount_map ending_in(const Where &where) const {
    amount_map out;
    for (const auto &a : p_.applications) {
      for (const allocation &x : a->allocations) {
        if (is_ending(x) && where(x, a->queue)) add(out, x.resources);
      }
    }
    return out;
  }
  void look_within_queue() {
    guaranteed_ = false;
    candidates_.clear();
    for (const auto &a : p_.applications) {
      if (a->queue != leaf_.path) continue;
      for (allocation &x : a->allocations) {
        const bool may = x.state == allocation_state::allocated && x.allow_preempt_self && x.required_node.empty();
        if (may && !used_.gone.contains(x.sequence) && x.priority < k_.priority &&
            shares_a_type(x.resources, k_.resources))
          candidates_.push_back({a.get(), &x});
      }
    }
    std::sort(candidates_.begin(), candidates_.end(), victim_before);
  }

  // It takes no queue below what that is guaranteed of a type that the ask lacks.
  [[nodiscard]] bool may_be_taken(const candidate &c) const {
    if (!guaranteed_) return true;
    const amount_map beyond = beyond_guarantees(c.owner->queue);
    return std::all_of(lacking_.begin(), lacking_.end(), [&](const std::string &type) {
      const int64_t amount = amount_of(c.what->resources, type);
      return amount <= 0 || !beyond.contains(type) || amount <= beyond.at(type);
    });
  }

  // Types of which there is too little.
  [[nodiscard]] std::set<std::string> short_of(const amount_map &available, bool missing_is_none) const {
    std::set<std::string> out;
    for (const auto &[type, amount] : k_.resources) {
      const bool limited = missing_is_none || available.contains(type);
      if (amount > 0 && limited && amount > std::max<int64_t>(0, amount_of(available, type))) out.insert(type);
    }
    return out;
  }
  [[nodiscard]] std::set<std::string> short_on(const node &n) const {
    free_capacity left = free_on(n);
    for (const candidate &c : taken_) {
      if (c.what->node == n.id) left.add(c.what->resources, c.what->detail);
    }
    auto out = short_of(left.free, true);
    out.merge(partition::without_devices(n, left.devices, k_));
    return out;
  }
  // With what is ending there, where that counts and nobody else reserved the node.
  [[nodiscard]] free_capacity free_on(const node &n) const {
    free_capacity out = partition::free_on(n, used_);
    const auto there = p_.reservations_on(n.id);
    const bool counts = counts_ending_ && std::all_of(there.begin(), there.end(), [&](const reservation &r) {
                          return partition::is_for(r, a_, k_);
                        });
    for (const auto &a : p_.applications) {
      for (const allocation &x : a->allocations) {
        if (counts && x.node == n.id && is_ending(x)) out.add(x.resources, x.detail);
      }
    }
    return out;
  }
  // By path.
  [[nodiscard]] std::map<std::string, std::set<std::string>> short_of_max() const {
    std::map<std::string, std::set<std::string>> out;
    for (const std::string &at : path_down(leaf_.path)) {
      amount_map available = p_.find_queue(at)->max;
      amount_map in_use = taken_from(at);
      subtract(in_use, taken_in(at));
      for (auto &[type, amount] : available) amount = sub_saturating(amount, amount_of(in_use, type));
      if (const auto types = short_of(available, false); !types.empty()) out[at] = types;
    }
    return out;
  }
  [[nodiscard]] bool has_place() const {
    return short_of_max().empty() &&
           std::any_of(nodes_.begin(), nodes_.end(), [&](const node *n) { return short_on(*n).empty(); });
  }

  static bool has_some(const allocation &x, const std::set<std::string> &types) {
    return std::any_of(types.begin(), types.end(), [&](const auto &type) { return amount_of(x.resources, type) > 0; });
  }
  [[nodiscard]] bool is_taken(const candidate &c) const {
    return std::any_of(taken_.begin(), taken_.end(), [&](const candidate &one) { return one.what == c.what; });
  }

  bool put_back_is_fine(size_t i, const std::function<bool()> &fine) {
    const std::vector<candidate> before = taken_;
    taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(i));
    const bool yes = fine();
    taken_ = before;
    return yes;
  }

  [[nodiscard]] bool nothing_short(const node &n) const { return short_on(n).empty() && short_of_max().empty(); }

  [[nodiscard]] bool relieves(const candidate &c,
                              const std::map<std::string, std::set<std::string>> &short_queues) const {
    return std::any_of(short_queues.begin(), short_queues.end(), [&](const auto &item) {
      return lies_in(c.owner->queue, item.first) && has_some(*c.what, item.second);
    });
  }

  // At best its victims are on the lowest level there is, of the largest size, and hold no more than what is missing.
  [[nodiscard]] bool can_beat_the_best(const node &n) const {
    if (!best_ || looked_at_.empty()) return true;
    int64_t most_needed = 1;
    amount_map missing = k_.resources;
    subtract(missing, free_on(n).free);
    for (const auto &[type, wanted] : k_.resources) {
      if (wanted <= 0 || missing.at(type) <= 0) continue;
      int64_t largest = 0;
      for (const candidate &c : looked_at_) largest = std::max(largest, amount_of(c.what->resources, type));
      most_needed = std::max(most_needed, missing.at(type) / largest + (missing.at(type) % largest != 0 ? 1 : 0));
    }
    std::erase_if(missing, [&](const auto &item) { return amount_of(k_.resources, item.first) <= 0; });
    const auto lowest = std::min_element(looked_at_.begin(), looked_at_.end(),
                                         [](const auto &x, const auto &y) { return level_of({x}) < level_of({y}); });
    return std::tuple(level_of({*lowest}), static_cast<size_t>(most_needed), share_of(missing, used_.root_max)) <
           best_->rank();
  }

  // By those that are looked at, each leaf as far as its guarantees let it give.
  [[nodiscard]] amount_map given_at_most() const {
    std::map<std::string, amount_map> by_leaf;
    for (const candidate &c : looked_at_) add(by_leaf[c.owner->queue], c.what->resources);
    amount_map out;
    for (auto &[home, given] : by_leaf) {
      for (const auto &[type, beyond] : guaranteed_ ? beyond_guarantees(home) : amount_map()) {
        if (const auto some = given.find(type); some != given.end()) {
          some->second = std::min(some->second, std::max<int64_t>(0, beyond));
        }
      }
      add(out, given);
    }
    return out;
  }

  // Takes what would make room on the node, more than is needed perhaps.
  bool would_do(const node &n) {
    taken_.clear();
    looked_at_.clear();
    const std::set<std::string> short_here = short_on(n);
    const auto short_queues = short_of_max();
    lacking_ = short_here;
    for (const auto &[path, types] : short_queues) lacking_.insert(types.begin(), types.end());
    if (!short_here.empty()) {
      for (const candidate &c : candidates_) {
        if (c.what->node == n.id && has_some(*c.what, short_here) && may_be_taken(c)) looked_at_.push_back(c);
      }
      amount_map all = free_on(n).free;
      add(all, given_at_most());
      if (!short_of(all, true).empty() || !can_beat_the_best(n)) return false;
      steps_ += looked_at_.size();
      lineup line(looked_at_);
      while (!short_on(n).empty()) {
        const auto c = line.next(taken_);
        if (!c) return false;
        if (may_be_taken(*c) && has_some(*c->what, short_on(n))) taken_.push_back(*c);
      }
    }
    std::vector<candidate> could;
    for (const candidate &c : candidates_) {
      if (relieves(c, short_queues)) could.push_back(c);
    }
    lineup line(could);
    while (const auto c = line.next(taken_)) {
      if (short_of_max().empty()) {
        // Those of the same rank may be enough alone.
        if (!short_here.empty() || taken_.empty() || rank_of(*c) > level_of(taken_).first) break;
      }
      ++steps_;
      if (short_here.empty()) looked_at_.push_back(*c);
      if (!is_taken(*c) && may_be_taken(*c) && relieves(*c, short_of_max())) taken_.push_back(*c);
    }
    return nothing_short(n);
  }

  // The best of those that were looked at, and lie no higher than what was taken, that is enough alone.
  std::optional<candidate> alone_for(const node &n) {
    std::optional<candidate> out;
    const std::vector<candidate> all = taken_;
    const auto rank = [&](const candidate &c) {
      return std::tuple(level_of({c}), share_of(c.what->resources, used_.root_max));
    };
    std::sort(looked_at_.begin(), looked_at_.end(), victim_before);
    for (const candidate &c : looked_at_) {
      taken_.clear();
      const bool may = level_of({c}) <= level_of(all) && may_be_taken(c);
      taken_ = {c};
      if (may && nothing_short(n) && (!out || rank(c) < rank(*out))) out = c;
    }
    taken_ = all;
    return out;
  }

  // Victims that make room on the node; none where that cannot be.
  std::vector<candidate> victims_for(const node &n) {
    if (!would_do(n) || taken_.empty()) return {};
    if (const auto one = alone_for(n)) {
      taken_ = {*one};
    } else {
      const std::vector<candidate> all = largest_first(taken_, used_.root_max);
      for (const candidate &c : all) {
        const std::vector<candidate> before = taken_;
        std::erase_if(taken_, [&](const candidate &t) { return t.what == c.what; });
        if (!nothing_short(n)) taken_ = before;
      }
    }
    for (size_t i = 0; i < taken_.size(); ++i) {
      if (put_back_is_fine(i, [&] { return has_place(); })) return {};
    }
    return taken_;
  }

  // By id; reserved for another ask, or not.
  std::vector<const node *> suitable_nodes(bool reserved) {
    std::vector<const node *> out;
    for (const auto &[id, n] : p_.nodes) {
      const auto there = p_.reservations_on(id);
      const bool others = std::any_of(there.begin(), there.end(), [&](const reservation &r) {
        return !partition::is_for(r, a_, k_) && !r.empties;
      });
      if (!n.schedulable || others != reserved || !p_.holds(n, k_) || p_.is_refused(k_, n)) continue;
      const bool is_over = std::any_of(k_.resources.begin(), k_.resources.end(), [&](const auto &item) {
        return item.second > 0 && amount_of(used_.free_on_node.at(id), item.first) < 0;
      });
      if (is_over && !overcommitted_) continue;
      if (p_.attributes_match(k_, n)) out.push_back(&n);
    }
    return out;
  }

  std::optional<answer> best_answer() {
    best_.reset();
    nodes_ = suitable_nodes(false);
    steps_ = 0;
    bool one_fits = false;
    for (const node *n : nodes_) {
      taken_.clear();
      if (short_on(*n).empty() && std::exchange(one_fits, true)) continue;
      if (steps_ >= p_.config.tuning.preemption_max_steps) break;
      answer one{n, victims_for(*n)};
      amount_map held;
      for (const candidate &c : one.victims) add(held, c.what->resources);
      one.share = share_of(held, used_.root_max);
      if (!one.victims.empty() && (!best_ || one.rank() < best_->rank())) best_ = std::move(one);
    }
    return std::exchange(best_, std::nullopt);
  }

  bool guaranteed_ = true;
  bool overcommitted_ = true;  // such nodes are looked at
  uint64_t steps_ = 0;
  std::optional<answer> best_;  // so far
  std::vector<candidate> candidates_;
  std::vector<candidate> looked_at_;  // that may be enough alone
  std::set<std::string> lacking_;     // types that are short before anything is taken
  std::vector<const node *> nodes_;   // that may be chosen
};

}  // namespace

bool partition::may_attempt(application &a, ask &k, const usage &used) {
  if (!config.preemption_enabled || !k.allow_preempt_other || !k.required_node.empty()) return false;
  if (has_victims_under_way(k) && reservation_of(k) != nullptr) return false;
  const queue &leaf = *find_queue(a.queue);
  if (!preemption_text(leaf).contains("intra") && !question(*this, a, k, used).is_guaranteed()) return false;
  const int64_t delay_ms = duration_of(leaf, "preemption.delay", 30'000);
  return shared.now_ms >= add_saturating(k.create_time_ms, delay_ms) && shared.now_ms >= k.preempt_from_ms;
}

void partition::attempt(ask &k) {
  k.preempt_from_ms = add_saturating(shared.now_ms, std::max<int64_t>(1, config.tuning.preemption_retry_ms));
  k.held_off = false;
}

partition::room_to_make partition::find_room(application &a, ask &k, const usage &used) {
  const bool within = preemption_text(*find_queue(a.queue)).contains("intra");
  question ask_for(*this, a, k, used);
  const reservation *own = reservation_of(k);
  const auto look_at_what_ends = [&] {
    auto room = ask_for.room_of_what_ends(within);
    while (room.second != nullptr && !(own != nullptr && own->node == room.second->id) &&
           !may_wait_for(a, k, *room.second)) {
      if (is_unanswered()) return std::pair<bool, const node *>{true, nullptr};
      room = ask_for.room_of_what_ends(within);
    }
    return room;
  };
  const bool waited = has_waited(k);
  std::pair<bool, const node *> room;
  if (!waited) room = look_at_what_ends();
  std::optional<question::answer> found;
  if (!room.first) {
    found = ask_for.best(within);
    while (found && !may_wait_for(a, k, *found->where)) {
      found = is_unanswered() ? std::nullopt : ask_for.best(within);
    }
  }
  const bool held_off = !room.first && !found && !is_unanswered() && ask_for.is_held_off(within);
  if (waited && !found) room = look_at_what_ends();
  if (found) return {found->where, false, false, found->victims};
  return {room.second, room.first, held_off && !room.first, {}};
}

bool partition::preempt(application &a, ask &k, const usage &used) {
  if (!may_attempt(a, k, used)) return false;
  attempt(k);
  const room_to_make found = find_room(a, k, used);
  const reservation *held = reservation_of(k);
  const bool stays = held != nullptr && found.where != nullptr && held->node == found.where->id;
  if (found.where == nullptr || (found.by_waiting && stays)) {
    k.held_off = found.held_off;
    return false;
  }
  const std::string where = found.where->id;
  end_others_on(a, k, where);
  if (held = reservation_of(k); held != nullptr && !stays) {
    end_reservation(held->id, messages::reservation_moved(where));
  }
  if (!stays) reserve(a, k, where);
  if (found.by_waiting) return true;
  for (reservation &r : reservations) {
    if (r.ask != k.arrival) continue;
    r.freed = true;
    r.empties = false;
  }
  take_victims(found.victims, k.arrival, messages::preempted_for_ask(k.key));
  return true;
}

void partition::end_others_on(const application &a, const ask &by, const std::string &node_id) {
  for (const reservation &r : reservations_on(node_id)) {
    if (!is_for(r, a, by)) lose_reservation(r.id, messages::reservation_for_preemption(by.key));
  }
}

bool partition::make_room_for_gang(application &a, ask &by, const usage &used) {
  for (const ask &k : a.asks) {
    if (k.placeholder && k.pending() > 0 && (!k.required_node.empty() || reservation_of(k) != nullptr)) return false;
  }
  ask all = by;
  all.resources = pending_placeholders_of(a);
  const partition_tuning &tuning = config.tuning;
  const int64_t from_ms = std::max(
      {add_saturating(by.create_time_ms, tuning.reservation_delay_ms), by.reserve_from_ms, by.preempt_from_ms});
  const bool may_empty = shared.has.reservations && tuning.reservation_enabled && reservations_of_gang(a).empty() &&
                         shared.now_ms >= from_ms;
  const bool may_preempt = shared.has.preemption && may_attempt(a, by, used);
  if ((!may_empty && !may_preempt) || !within_limits(a, all, used)) return false;
  std::set<ask *> tried{&by};
  std::vector<seat> seats;
  bool empties = false;
  bool found = may_preempt && is_guaranteed_whole(a, used) && find_seats(a, used, false, tried, seats);
  if (!found && may_empty && another_may_empty(a) && within_max_beside_reserved(a, all, used)) {
    seats.clear();
    empties = true;
    found = find_seats(a, used, true, tried, seats);
  }
  for (ask *k : tried) attempt(*k);
  if (!found) return false;
  if (const auto before = reservations_of_gang(a); !before.empty())
    end_reservation(before.front().id, messages::reservation_moved(seats.front().where->id));
  for (const seat &s : seats) {
    const std::string where = s.where->id;
    end_others_on(a, *s.of, where);
    reserve_for_gang(a, *s.of, where, empties);
    if (!s.victims.empty())
      take_victims(s.victims, claimant_of(a, *s.of).arrival, messages::preempted_for_ask(s.of->key));
  }
  return true;
}

// `used` is a copy, in which each placeholder counts for those behind it, and victims are gone.
bool partition::find_seats(application &a, usage used, bool empties, std::set<ask *> &tried, std::vector<seat> &out) {
  std::map<std::string, amount_map> so_far;
  std::map<const ask *, std::vector<const node *>> to_empty;
  for (const ask *k : sorted_asks(a)) {
    if (empties && k->placeholder && k->pending() > 0) to_empty[k] = nodes_to_empty(a, *k, used);
  }
  for (ask *k : sorted_asks(a)) {
    if (!k->placeholder) continue;
    refused_at_turn.clear();
    for (int32_t left = k->pending(); left > 0; --left) {
      const node *n = within_max(a, *k, used) ? choose_node(a, *k, used) : nullptr;
      const std::vector<reservation> there = n == nullptr ? std::vector<reservation>() : reservations_on(n->id);
      const bool own = std::all_of(there.begin(), there.end(), [&](const reservation &r) { return is_for(r, a, *k); });
      if (n != nullptr && (!own || !may_wait_for(a, *k, *n))) n = nullptr;
      detail_map chosen;
      std::vector<candidate> victims;
      if (n != nullptr) {
        chosen = chosen_by_order(a, *k, *n, used);
      } else if (is_unanswered()) {
        return false;
      } else if (empties) {
        n = node_to_empty(a, *k, to_empty.at(k), so_far);
        if (n == nullptr) return false;
      } else {
        if (!may_attempt(a, *k, used)) return false;
        tried.insert(k);
        room_to_make found = find_room(a, *k, used);
        if (found.where == nullptr) return false;
        n = found.where;
        victims = std::move(found.victims);
      }
      for (const candidate &c : victims) {
        used.gone.insert(c.what->sequence);
        for (const std::string &path : path_down(c.owner->queue))
          subtract(used.queues[path].allocated, c.what->resources);
        add(used.free_on_node.at(c.what->node), c.what->resources);
        subtract(used.on_node[c.what->node], c.what->resources);
        free_capacity room{used.free_on_node.at(c.what->node), used.free_devices.at(c.what->node)};
        room.add({}, c.what->detail);
        used.free_devices.at(c.what->node) = room.devices;
      }
      put_on(*k, *n, chosen, used);
      count(a, *k, used);
      add(so_far[n->id], k->resources);
      if (empties && so_far.size() > most_reserved_nodes()) return false;
      out.push_back({k, n, std::move(victims)});
    }
  }
  return true;
}

}  // namespace tenon::naive
