// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Asks that can never run as a partition is: larger than every node, or than the max of a queue.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tenon/kernel/snapshot.hpp"

namespace tenon::observe {

// Why nothing can ever be placed for an ask while nodes and limits stay as they are; both are empty where something may
// be.
struct never_runs {
  std::string why;  // "asks 96 of vcore, the largest node has 64"
  std::string fix;  // "ask for at most 64 of vcore, or add a node that has 96"
};

// What the largest nodes of a partition and its queues have at most. Points into the snapshot, which has nodes and
// queues.
class size_limits {
 public:
  explicit size_limits(const partition_snapshot &p);

  // Compares one allocation of an ask in the queue with them. Where there is no node yet, none is missed.
  [[nodiscard]] never_runs excess(const amount_map &asked, const std::string &queue);

 private:
  void add(const amount_map &capacity);
  [[nodiscard]] bool fits_a_node(const amount_map &asked);
  [[nodiscard]] never_runs above_nodes(const amount_map &asked) const;
  [[nodiscard]] never_runs above_max(const amount_map &asked, const std::string &queue) const;

  std::vector<const amount_map *> largest_;  // those that no other one is as large as in every type
  std::map<std::string, const amount_map *> max_of_;
  std::map<amount_map, bool> fits_;
};

}  // namespace tenon::observe
