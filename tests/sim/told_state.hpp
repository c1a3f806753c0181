// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a listener knows of a kernel from facts alone: it must be what the kernel is.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tenon/kernel/facts.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::sim {

class told_state : public fact_listener {
 public:
  void take(const fact &what) override;
  // Where it differs from the snapshot, a line each.
  [[nodiscard]] std::vector<std::string> differences(const kernel_snapshot &s) const;
  // How often each kind was told.
  [[nodiscard]] const std::map<fact_kind, uint64_t> &counts() const { return counts_; }

 private:
  struct told_queue {
    amount_map max, guaranteed;
  };
  struct told_node {
    bool schedulable = true;
    amount_map capacity, occupied;
    std::set<std::string> allocations, reservations;
  };
  using usage_map = std::map<std::pair<std::string, std::string>, amount_map>;  // name, queue
  struct told_partition {
    std::map<std::string, told_queue> queues;
    std::map<std::string, told_node> nodes;
    std::map<std::string, application_state> applications;
    usage_map users, groups;
  };

  static void use(usage_map &of, std::string_view name, std::string_view path, const fact &what, int sign,
                  const resources &amounts);
  void allocation(told_partition &p, const fact &what);
  static void compare(const told_partition &told, const partition_snapshot &is, std::vector<std::string> &out);

  std::map<std::string, told_partition, std::less<>> partitions_;
  std::map<fact_kind, uint64_t> counts_;
};

}  // namespace tenon::sim
