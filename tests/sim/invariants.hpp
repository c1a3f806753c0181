// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What holds after every command, whatever the rules decide.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::sim {

// Follows the decisions: what was accepted stays until it is removed, and nothing is placed where it exceeds a
// node or a queue.
class ledger {
 public:
  void note(const command &c);
  void note(const decision_view &d, bool of_a_step);
  // Of everything noted since the last look.
  [[nodiscard]] std::vector<std::string> broken(const kernel_snapshot &s);

 private:
  std::map<std::string, std::set<std::string>> accepted_;  // partition -> applications
  std::set<std::string> draining_;                         // partitions, at the last look
  std::vector<std::pair<std::string, uint64_t>> placed_;   // partition, sequence
  struct checked {
    std::set<uint64_t> open;  // numbers that were proposed, and nothing was said of them since
    uint64_t replaced = 0;    // placeholders released for a replacement since the last look
  };
  std::map<std::string, checked> checked_;  // by partition
  std::vector<std::string> broken_;
};

}  // namespace tenon::sim
