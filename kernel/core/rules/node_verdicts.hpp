// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node verdicts: which nodes the predicates let asks of a class have. Asks that a predicate cannot tell apart share a
// set of verdicts, and a verdict is kept until something changes that the predicates read. Where a predicate fails, no
// node is for those asks for a while, whatever was known. The predicate of a canary is asked about the asks of its
// applications alone: they have a set of its verdicts beside the one that they would have without it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core.hpp"
#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "policies/policy_batch.hpp"
#include "queueing/rule_ports.hpp"

namespace tenon::internal {

struct node_verdicts_access {
  core &shared;
  const partition_clock &clock;
  const std::string &partition_name;
  node_table &nodes;
  const call_contexts &contexts;
};

class node_verdicts final : public node_filter, node_verdicts_access {
 public:
  explicit node_verdicts(const node_verdicts_access &all) : node_verdicts_access(all) {}

  void adopt(std::vector<node_predicate> predicates);
  [[nodiscard]] const std::vector<node_predicate> &predicates() const { return predicates_; }
  // These in the place of those that they are listed as; one without a policy stays. Gives the ones that go. Nothing
  // that was said holds, and none is held: every ask is to be classified anew.
  [[gnu::cold]] std::vector<node_predicate> replace(std::vector<node_predicate> fresh);
  [[nodiscard]] uint64_t kept_bytes() const { return kept_bytes_; }
  [[nodiscard]] bool are_held() const { return !seldom_->held.empty(); }  // some, since a predicate failed

  [[nodiscard]] std::string reason_of(const ask_class &c, uint32_t slot) const;  // why it does not
  // Where no node passes of those that have room for it, why, as far as they were asked; "" where one does.
  [[nodiscard]] std::string refusals_of(const ask_class &c) const;
  [[nodiscard]] uint8_t known_of(const ask_class &c, uint32_t slot) const;  // as in verdict_set; nobody is asked
  // For an ask that needs so much. `in_common`: with all asks alike; else the set is this ask's alone. Null: all nodes
  // pass.
  verdict_set *set_for(const ask &a, const resources &need, bool &in_common);

  // -- The predicate of a canary. --
  // Null: there is none any more, and what failed of it is forgotten. Asks are to be classified anew.
  void adopt_canary(std::unique_ptr<node_predicate> predicate);
  [[nodiscard]] const node_predicate *of_canary() const { return canary_->predicate.get(); }
  [[nodiscard]] bool is_of_canary(const verdict_set &v) const { return v.canary == canary_->number; }
  // As set_for(), for an ask of an application of the canary, for which `others` was given.
  verdict_set *canary_set_for(const ask &a, const resources &need, verdict_set *others, bool &in_common);
  // Since its command began.
  [[nodiscard]] bool canary_has_failed() const { return canary_->has_failed; }
  void end_command_of_canary() { canary_->has_failed = false; }

  // -- A predicate failed. --
  // What the record says of this decision holds from its beginning.
  [[gnu::cold]] void hold(const policy_fault &as_told);
  [[nodiscard]] bool is_void(uint64_t epoch) const;
  [[gnu::cold]] void ask_again(uint64_t epoch);  // it was long enough
  // While one lives, nothing follows where a predicate fails: what is seen then is for readers.
  class onlooker {
   public:
    explicit onlooker(node_verdicts &of) : of_(of), was_(std::exchange(of.only_looks_, true)) {}
    ~onlooker() { of_.only_looks_ = was_; }
    onlooker(const onlooker &) = delete;
    onlooker &operator=(const onlooker &) = delete;

   private:
    node_verdicts &of_;
    bool was_;
  };

  // -- In the copy of a partition, where nothing ever follows. --
  [[gnu::cold]] [[nodiscard]] verdict_set *copy_of(const verdict_set *original);

  // -- A node changed. --
  void forget(uint32_t slot) override;
  void amounts_changed(uint32_t slot) override {
    if (read_amounts_) return forget(slot);
    if (canary_->reads_amounts) forget_of_canary(slot);
  }

 private:
  bool is_passed(verdict_set &v, const resources &need, uint32_t slot) override;
  bool may_be_passed(verdict_set &v, const resources &need, uint32_t slot) override;
  void judge(verdict_set &v, const resources &need);
  bool is_signed(node_predicate &p, const ask &a, const ask_facts &facts, uint64_t words[2]);
  void begin_set(verdict_set &v, const ask &a, bool in_common);
  void forget_of_canary(uint32_t slot);
  bool is_judged(verdict_set &v, const resources &need, uint32_t slot);
  // Those that give the verdicts of a set.
  [[nodiscard]] std::span<node_predicate> asked_for(const verdict_set &v);
  [[nodiscard]] const std::vector<std::string> &reasons_for(const verdict_set &v) const;
  [[gnu::cold]] [[nodiscard]] policy_fault fault_of(const node_predicate &p, const verdict_set &v) const;
  [[gnu::cold]] [[nodiscard]] policy_fault fault_of(const node_predicate &p, const ask &a) const;  // of its signature
  [[gnu::cold]] void failed(verdict_set &v, const node_predicate &p);
  [[gnu::cold]] void hold(verdict_set &v, const node_predicate &p);

  std::vector<node_predicate> predicates_;
  std::map<std::vector<uint64_t>, std::unique_ptr<verdict_set>> sets_;  // by signatures and what they leave out
  bool only_looks_ = false;
  uint64_t kept_bytes_ = 0;
  bool read_amounts_ = false;  // of nodes: verdicts change with every allocation
  bool read_need_ = false;     // of asks: verdicts are shared by those of equal resources alone
  std::vector<std::string> reason_texts_;
  // Scratch of set_for() and judge().
  struct judgement {
    std::vector<uint32_t> open, asked, passed;
    std::vector<uint8_t> verdicts;
    std::vector<uint16_t> reasons;
  };
  judgement judged_;
  std::vector<uint64_t> signature_;
  // What is seldom there: sets that are held since a predicate failed, and copies by their originals.
  struct seldom {
    std::vector<verdict_set *> held;
    std::map<const verdict_set *, verdict_set *> copies;  // any order: looked up, never walked
    // Of predicates that others took the place of: classes of before name them.
    std::vector<std::unique_ptr<verdict_set>> former;
  };
  std::unique_ptr<seldom> seldom_ = std::make_unique<seldom>();
  // Sets stay for the canary that comes next, as classes name them.
  struct canary_part {
    std::unique_ptr<node_predicate> predicate;
    uint32_t number = 0;  // canaries so far
    bool has_failed = false;
    bool reads_amounts = false;  // as read_amounts_
    std::vector<std::string> reason_texts;
    // By the others' set and the signature; any order.
    std::map<std::pair<const verdict_set *, std::vector<uint64_t>>, std::unique_ptr<verdict_set>> sets;
  };
  std::unique_ptr<canary_part> canary_ = std::make_unique<canary_part>();
};

}  // namespace tenon::internal
