// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Node verdicts: which nodes the predicates let asks of a class have. Asks that a predicate cannot tell apart share a
// set of verdicts, and a verdict is kept until something changes that the predicates read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "policies/policy_batch.hpp"
#include "ready/rule_ports.hpp"

namespace tenon::internal {

struct node_verdicts_access {
  core &shared;
  const std::string &partition_name;
  node_table &nodes;
  const call_contexts &contexts;
  kept_counts &kept;
};

class node_verdicts final : public node_filter, node_verdicts_access {
 public:
  explicit node_verdicts(const node_verdicts_access &all) : node_verdicts_access(all) {}

  void adopt(std::vector<node_predicate> predicates);
  [[nodiscard]] const std::vector<node_predicate> &predicates() const { return predicates_; }

  [[nodiscard]] std::string reason_of(const ask_class &c, uint32_t slot) const;  // why it does not
  // For an ask that needs so much. `in_common`: with all asks alike; else the set is this ask's alone. Null: all nodes
  // pass.
  verdict_set *set_for(const ask &a, const resources &need, bool &in_common);

  // -- A node changed. --
  void forget(uint32_t slot) override;
  void amounts_changed(uint32_t slot) override {
    if (read_amounts_) forget(slot);
  }

 private:
  bool is_passed(verdict_set &v, const resources &need, uint32_t slot) override;
  void judge(verdict_set &v, const resources &need);

  std::vector<node_predicate> predicates_;
  std::map<std::vector<uint64_t>, std::unique_ptr<verdict_set>> sets_;  // by signatures and what they leave out
  bool read_amounts_ = false;  // of nodes: verdicts change with every allocation
  bool read_need_ = false;     // of asks: verdicts are shared by those of equal resources alone
  std::vector<std::string> reason_texts_;
};

}  // namespace tenon::internal
