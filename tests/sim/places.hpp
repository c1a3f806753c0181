// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Places: who runs for which user and group, counted from snapshots and configurations alone, so that two
// schedulers that agree on a misread rule of maxapplications are found out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::sim {

class places {
 public:
  void note(const command &c);
  void note(const decision_view &d);
  // After every command: what is shown is not what was counted, or the command was a step and let an application in
  // where as many ran as may.
  [[nodiscard]] std::vector<std::string> broken(const kernel_snapshot &s);

 private:
  using limits_by_path = std::map<std::string, std::vector<limit_config>>;
  struct runner {
    bool had_some = false;  // an allocation that was not only proposed
    bool runs = false;
  };

  void take(const std::string &partition, const queue_config &q, const std::string &parent);
  void look_at(const partition_snapshot &p, std::vector<std::string> &out);

  std::map<std::string, limits_by_path> limits_;                  // by partition
  std::map<std::string, std::map<std::string, runner>> runners_;  // by partition, application
  const cluster_config *offered_ = nullptr;                       // by the command
  bool steps_ = false;                                            // the command does
};

}  // namespace tenon::sim
