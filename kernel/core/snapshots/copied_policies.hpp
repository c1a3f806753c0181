// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The policies of a copy of a partition: the same instances under owners of their own, instances of its own, or those
// that another source has in their place.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policies/bound_sort_policy.hpp"
#include "policies/node_sorting.hpp"
#include "policies/placement_rules.hpp"
#include "policies/policy_batch.hpp"

namespace tenon::internal {

// lent: neither partition is in a call of one while the other is, and the copy ends first. own: the two share nothing
// that changes. replaced: orders and predicates of another source; placement rules are lent.
enum class copied_policies : uint8_t { lent, own, replaced };

class policy_copier {
 public:
  // `source`: of the copy.
  policy_copier(copied_policies how, policy_source &source, uint32_t max_types)
      : how_(how), source_(source), max_types_(max_types) {}

  // The orders of nodes of a partition with this configuration; `made`: which stands for which.
  void copy(const partition_config &config, const node_sortings &from, node_sortings &to,
            std::map<const node_sorting *, node_sorting *> &made);  // any order: looked up, never walked
  // Another source has the name and the configuration, or its fallback stands in.
  [[nodiscard]] std::unique_ptr<sort_policy> copy(const sort_policy &from, const std::string &name,
                                                  const std::string &configuration);
  [[nodiscard]] std::unique_ptr<placement_rule> copy(const placement_rule &from);
  // Those that another source does not make are left out: whoever plays with it was told so.
  [[nodiscard]] std::vector<node_predicate> copy(const std::vector<node_predicate> &from);
  [[nodiscard]] std::unique_ptr<node_predicate> copy_canary(const partition_config &config, const node_predicate *from);

  [[nodiscard]] bool are_replaced() const { return how_ == copied_policies::replaced; }
  // Why one of them has no second instance: what was given for it is lent.
  [[nodiscard]] const std::optional<refusal> &refused() const { return refused_; }

 private:
  [[nodiscard]] std::unique_ptr<bound_policy> copy(const bound_policy &from);
  [[nodiscard]] std::unique_ptr<sort_policy> made(module_kind kind, const std::string &name,
                                                  const std::string &configuration);

  const copied_policies how_;
  policy_source &source_;
  const uint32_t max_types_;
  std::optional<refusal> refused_;
};

}  // namespace tenon::internal
