// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What each queue would have if everything were divided fairly at every level of the tree.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/run_ledger.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::cli {

// Dominant resource fairness, level by level: of what a parent has, all its children get more in step. One gets no more
// when it has what it wants or may have, or when a resource that it wants is used up.
// In step means that their shares are equal. A share is the largest part that a child has of any resource, measured as
// fair order measures it: against what is guaranteed, else against the maximum, else against all that there is.
class share_tree {
 public:
  // `config` may be null: no guarantees and no maxima. `kinds`: of asks, at least 1; those of a kind want the same
  // types.
  share_tree(const name_list &queues, const cluster_config *config, const name_list &types, size_t kinds);

  // Amounts are [type], [queue][type] and, of what is wanted, [queue][kind][type], one after the other. `satisfied`
  // becomes, by queue, the share that it uses as a part of the share that it would have: NaN where it wants nothing.
  void divide(std::span<const double> capacity, std::span<const double> used, std::span<const double> wanted,
              std::span<double> satisfied);

 private:
  struct branch {
    std::string name;
    std::vector<double> guaranteed, max;  // by type; below 0: none
    int64_t queue = -1;                   // -1: a parent, or a kind
    int64_t kind = -1;                    // [queue][kind]; -1: no kind
    std::vector<size_t> children;         // branches
    // Of the division that runs, by type.
    std::vector<double> wanted, granted, measure;
    double full_share = 0;  // with all that is wanted
    double most_part = 1;   // of what is wanted, that its maximum allows
    double stop = 0;        // the share that it is granted
  };

  size_t child_of(size_t parent, std::string_view name, const queue_config *config, const name_list &types);
  void gather(size_t at, std::span<const double> wanted);
  void measure(size_t at, std::span<const double> capacity);
  void share_out(size_t at);
  [[nodiscard]] double share_of(const branch &b, std::span<const double> amounts) const;

  size_t types_, kinds_;
  std::vector<branch> branches_;  // the first is above the roots
};

// Jain's index of those that are not NaN: 1 where all are equal, 1/n where one of n has everything.
[[nodiscard]] double jain_index(std::span<const double> satisfied);

}  // namespace tenon::cli
