// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement checks: what the resource manager says of an ask on a node. It is asked within the step, or it answers
// proposals; what it refused is remembered for the ask and the node, until something changes there.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/slab.hpp"
#include "core.hpp"
#include "forward.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct placement_checks_access {
  core &shared;
  const partition_id partition;
  const bool by_proposals;  // it checks what is proposed, and is not asked within the step
  ask_waits &waits;
  kept_counts &kept;
};

class placement_checks : placement_checks_access {
 public:
  explicit placement_checks(const placement_checks_access &all) : placement_checks_access(all) {}

  [[nodiscard]] bool are_proposed() const { return by_proposals; }
  // What it says may be other than for asks alike.
  [[nodiscard]] bool may_refuse(const ask &a) const {
    return by_proposals ? a.wait != nullptr && !a.wait->refusals.empty() : shared.rm_is_asked();
  }
  // Where it is asked within the step, it is asked now.
  bool agrees(const ask &a, const node &n, bool allocate) {
    if (nobody_is_asked_) return true;
    if (by_proposals) return !is_refused(a, n);
    return !shared.rm_is_asked() || ask_now(a, n, allocate);
  }
  [[nodiscard]] bool has_refused(const ask &a, const node &n) const;   // since the look at the ask began, or before
  [[nodiscard]] static bool is_refused(const ask &a, const node &n) {  // as a proposal
    return a.wait != nullptr && std::any_of(a.wait->refusals.begin(), a.wait->refusals.end(),
                                            [&](const node_refusal &r) { return r.where == &n; });
  }
  void begin_look() { refused_now_.clear(); }  // at another ask
  void begin_turn() {                          // the same, of the cycle
    ++shared.counters.asks_examined;
    begin_look();
  }
  void ask_nobody(bool nobody) { nobody_is_asked_ = nobody; }  // all are as if agreed with

  // -- What is remembered. --
  void note_refusal(ask &a, const node &n, std::string_view reason);
  void forget(ask &a);
  void forget_on(const node &n);
  // Forgets what the RM says may be others now. False: there was nothing.
  bool check_again(const tenon::check_again &c);

 private:
  bool ask_now(const ask &a, const node &n, bool allocate);
  void drop(ask &a, const node &n);

  bool nobody_is_asked_ = false;
  std::vector<const node *> refused_now_;  // within the step, while an ask is looked at
  boost::unordered_flat_map<const node *, std::vector<ask *>> refused_on_;
};

}  // namespace tenon::internal
