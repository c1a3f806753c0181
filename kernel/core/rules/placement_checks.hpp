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
#include "queueing/rule_ports.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

struct placement_checks_access {
  core &shared;
  const partition_config &config;
  const partition_id partition;
  const bool by_proposals;  // it checks what is proposed, and is not asked within the step
  ask_waits &waits;
};

class placement_checks final : public refused_nodes, placement_checks_access {
 public:
  explicit placement_checks(const placement_checks_access &all) : placement_checks_access(all) {}

  [[nodiscard]] bool are_proposed() const { return by_proposals; }
  // What it says may be other than for asks alike.
  [[nodiscard]] bool may_refuse(const ask &a) const { return remembers(a) || (!by_proposals && shared.rm_is_asked()); }
  // Some node is refused for the ask, or was after a start failed there.
  [[nodiscard]] static bool remembers(const ask &a) { return a.wait != nullptr && !a.wait->refusals.empty(); }
  // Where it is asked within the step, it is asked now.
  bool agrees(const ask &a, const node &n, bool allocate) {
    if (nobody_is_asked_) return true;
    if (remembers(a) && is_refused(a, n)) return false;
    return by_proposals || !shared.rm_is_asked() || ask_now(a, n, allocate);
  }
  // Whether the ask may wait for capacity on the node. A resource manager that answers proposals may answer later:
  // until then nothing is reserved, and no victim is chosen, for the ask. See awaits_answer().
  bool agrees_to_reserve(const ask &a, const node &n) {
    if (!by_proposals || nobody_is_asked_) return agrees(a, n, false);
    if (remembers(a) && is_refused(a, n)) return false;
    return !awaits_answer() && (!shared.rm_is_asked_to_reserve() || ask_now(a, n, false));
  }
  // True if the resource manager was asked about a reservation while this ask is looked at, and has not answered yet.
  [[nodiscard]] bool awaits_answer() const { return by_proposals && !refused_now_.empty(); }
  [[nodiscard]] bool has_refused(const ask &a, const node &n) const;  // since the look at the ask began, or before
  [[nodiscard]] bool is_refused(const ask &a, const node &n) const { return refusal_of(a, n) != nullptr; }
  [[nodiscard]] const node_refusal *refusal_of(const ask &a, const node &n) const;  // that is remembered; null: none
  void begin_look() { refused_now_.clear(); }                                       // at another ask
  void begin_turn() {                                                               // the same, of the cycle
    ++shared.counters.asks_examined;
    begin_look();
  }
  void ask_nobody(bool nobody) { nobody_is_asked_ = nobody; }  // all are as if agreed with

  // -- What is remembered. --
  void note_refusal(ask &a, const node &n, std::string_view reason);
  bool note_failed_start(ask &a, const node &n);  // false: the ask may be started there again at once
  void remember(ask &a, node_refusal r);
  void forget(ask &a);
  void forget_on(const node &n) override;  // but for starts that failed
  void node_gone(const node &n);
  [[nodiscard]] uint64_t kept_bytes() const { return kept_bytes_; }
  // Forgets what the RM says may be others now. False: there was nothing.
  bool check_again(const tenon::check_again &c);

 private:
  bool ask_now(const ask &a, const node &n, bool allocate);
  bool drop(ask &a, const node &n);

  bool nobody_is_asked_ = false;
  uint64_t kept_bytes_ = 0;
  std::vector<const node *> refused_now_;  // within the step, while an ask is looked at; or not answered yet
  boost::unordered_flat_map<const node *, std::vector<ask *>> refused_on_;
};

}  // namespace tenon::internal
