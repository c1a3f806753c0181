// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/timers.hpp"
#include "snapshots/saved_checks.hpp"

namespace tenon::internal {
namespace {

class link_checker {
 public:
  explicit link_checker(const saved_partition &p) : p_(p), placed_(p.asks.size(), 0), open_(p.allocations.size(), 0) {}

  std::string run() {
    check_replacements();
    check_proposals();
    const auto is_completing = [&](uint32_t application) {  // it has nothing, and ends in time
      return p_.applications[application].state == application_state::completing;
    };
    where_.check_each("allocations", p_.allocations, [&](const saved_allocation &x, size_t i) {
      ++placed_[x.ask];
      if (is_completing(application_of(x))) return false;
      // A placeholder whose replacement was undone goes all the same.
      return x.state != allocation_state::proposed || open_[i] != 0;
    });
    where_.check_each("asks", p_.asks, [&](const saved_ask &a, size_t i) {
      return a.placed >= placed_[i] && (a.state != ask_state::pending || !is_completing(a.application));
    });
    check_claims();
    check_reservations();
    std::set<uint32_t> held_off;
    where_.check_each("held_off", p_.held_off, [&](uint32_t a, size_t) {
      return a < p_.asks.size() && p_.asks[a].waits && held_off.insert(a).second;
    });
    where_.check_each("ends", p_.ends, [&](const saved_end &e, size_t i) {
      const auto before = [](const saved_allocation &x, uint64_t sequence) { return x.sequence < sequence; };
      const auto at = std::lower_bound(p_.allocations.begin(), p_.allocations.end(), e.allocation_sequence, before);
      return at != p_.allocations.end() && at->sequence == e.allocation_sequence &&
             (i == 0 || p_.ends[i - 1].allocation_sequence < e.allocation_sequence);
    });
    return where_.text();
  }

 private:
  [[nodiscard]] uint32_t application_of(const saved_allocation &x) const { return p_.asks[x.ask].application; }

  void check_replacements() {
    where_.check_each("replacements", p_.replacements, [&](const saved_replacement &r, size_t) {
      if (r.placeholder >= p_.allocations.size() || r.real >= p_.asks.size() || r.node >= p_.nodes.size()) return false;
      const saved_allocation &placeholder = p_.allocations[r.placeholder];
      const auto wanted = r.number == 0 ? allocation_state::replacing : allocation_state::allocated;
      ++placed_[r.real];
      return placeholder.placeholder && placeholder.state == wanted && ++open_[r.placeholder] == 1 &&
             application_of(placeholder) == p_.asks[r.real].application;
    });
  }

  // Each of what is proposed has one, and its number.
  void check_proposals() {
    std::vector<int> proposed(p_.replacements.size(), 0);
    std::set<uint64_t> numbers;
    where_.check_each("proposals", p_.proposals, [&](const saved_proposal &p, size_t) {
      if (p.reserved > 3 || p.number == 0 || p.number >= p_.next_allocation || !numbers.insert(p.number).second)
        return false;
      if (p.instead == not_saved) {
        if (p.made >= p_.allocations.size()) return false;
        const saved_allocation &made = p_.allocations[p.made];
        return made.state == allocation_state::proposed && made.sequence == p.number && ++open_[p.made] == 1 &&
               application_of(made) == p.application;
      }
      if (p.made != not_saved || p.instead >= p_.replacements.size()) return false;
      const saved_replacement &instead = p_.replacements[p.instead];
      return instead.number == p.number && ++proposed[p.instead] == 1 &&
             p_.asks[instead.real].application == p.application;
    });
    where_.check_each("replacements", p_.replacements,
                      [&](const saved_replacement &r, size_t i) { return (r.number != 0) == (proposed[i] != 0); });
  }

  void check_claims() {
    std::set<uint32_t> claimed, claimants;
    where_.check_each("claims", p_.claims, [&](const saved_claim &c, size_t) {
      for (const uint32_t x : c.victims) {
        if (x >= p_.allocations.size() || p_.allocations[x].state != allocation_state::preempting) return false;
        if (!claimed.insert(x).second) return false;
      }
      return !c.victims.empty() && c.ask < p_.asks.size() && p_.asks[c.ask].waits && claimants.insert(c.ask).second;
    });
  }

  void check_reservations() {
    std::set<uint32_t> reserved;
    uint64_t last = 0;
    where_.check_each("reservations", p_.reservations, [&](const saved_reservation &r, size_t) {
      const bool later = r.sequence > last && r.sequence < p_.next_reservation;
      last = r.sequence;
      return later && r.ask < p_.asks.size() && p_.asks[r.ask].state == ask_state::pending && p_.asks[r.ask].waits &&
             r.node < p_.nodes.size() && (reserved.insert(r.ask).second || r.of_gang);
    });
  }

  const saved_partition &p_;
  std::vector<int32_t> placed_;  // by ask, what is there of it
  std::vector<int32_t> open_;    // by allocation, what is to come of it
  wrong_place where_;
};

// What timers of a partition may be about.
class due_things {
 public:
  explicit due_things(const saved_partition &p) : p_(p) {
    for (const saved_reservation &r : p.reservations) reserved_.insert(r.ask);
    for (const saved_proposal &one : p.proposals)
      if (one.has_deadline) deadlines_.emplace(one.number, one.armed);
  }

  // Something may come of it when it is due.
  [[nodiscard]] bool have(const saved_timer &t) const {
    const bool is_active = t.object < p_.applications.size() && p_.applications[t.object].ended == 0;
    switch (static_cast<timer_kind>(t.kind)) {
      case timer_kind::application_state: {
        if (!is_active) return t.object < p_.applications.size();
        const application_state state = p_.applications[t.object].state;
        return state == application_state::starting || state == application_state::completing;
      }
      case timer_kind::application_execution:
        return is_active && (p_.applications[t.object].state == application_state::starting ||
                             p_.applications[t.object].state == application_state::running);
      case timer_kind::placeholders:
      case timer_kind::left_over:
        return is_active;
      case timer_kind::allocation_execution:
        return t.object < p_.allocations.size();
      case timer_kind::reservation_wait:
        return reserved_.contains(t.object);
      case timer_kind::rm_check:
        return deadlines_.contains({t.number, t.object});
      case timer_kind::quota:
        return t.object < p_.queues.size() && p_.queues[t.object].quota_runs;
      case timer_kind::drain:
        return p_.state == object_state::draining;
      case timer_kind::cleaner:
        return true;
      case timer_kind::app_rekey:
      case timer_kind::queue_rekey:
      case timer_kind::ask_alarm:
      case timer_kind::predicate:
        return false;  // they are armed with what they are about
    }
    return false;
  }

 private:
  const saved_partition &p_;
  std::set<uint32_t> reserved_;  // asks
  std::set<std::pair<uint64_t, uint32_t>> deadlines_;
};

}  // namespace

std::string wrong_link(const saved_partition &p) { return link_checker(p).run(); }

std::string wrong_timer(const saved_state &s) {
  const std::vector<due_things> of(s.partitions.begin(), s.partitions.end());
  wrong_place where;
  std::set<std::tuple<uint32_t, uint8_t, uint32_t, uint64_t>> armed;
  where.check_each("timers", s.timers, [&](const saved_timer &t, size_t) {
    return t.partition < s.partitions.size() && of[t.partition].have(t) &&
           armed.emplace(t.partition, t.kind, t.object, t.number).second;
  });
  return where.text();
}

}  // namespace tenon::internal
