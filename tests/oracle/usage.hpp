// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Who uses what, counted from the allocations anew whenever somebody asks.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "amounts.hpp"
#include "devices.hpp"

namespace tenon::naive {

struct tally {
  amount_map allocated, pending;
  amount_map preempting, ending, claimed;  // of victims; of all that goes; of asks that something is kept for
  uint64_t running = 0;                    // applications that are Starting or Running
  uint64_t counted = 0;                    // those that maxapplications counts
  uint64_t for_user = 0;                   // those that maxapplications of users and groups count
};

struct usage {
  std::map<std::string, tally> queues;                        // by path
  std::map<std::string, std::map<std::string, tally>> users;  // by name, then path
  std::map<std::string, std::map<std::string, tally>> groups;
  // What is kept in queues for reserved asks that preempt, by arrival of the ask, then path.
  std::map<uint64_t, std::map<std::string, amount_map>> awaited_by;
  std::map<uint64_t, uint64_t> claimant;  // that claims for an ask of a gang, by arrivals
  std::set<uint64_t> gone;                // allocations, by sequence, that are as if they were not there
  std::map<std::string, amount_map> on_node, free_on_node;  // by id
  std::map<std::string, device_map> free_devices;           // by id
  amount_map root_max;                                      // the sum of the nodes
  amount_map left;                                          // the sum of what each schedulable node has left

  std::map<uint64_t, int32_t> by_order;  // priorities of asks that go by order now, by arrival

  // What is allocated in a queue and kept there, but for the ask, and for those that it may go before.
  [[nodiscard]] amount_map taken_from(const std::string &path, const ask &k) const {
    amount_map out = of_queue(path).allocated;
    const auto by = claimant.find(k.arrival);
    const uint64_t own = by == claimant.end() ? k.arrival : by->second;
    for (const auto &[arrival, by_path] : awaited_by) {
      const auto goes = by_order.find(arrival);
      const bool gives_way = goes != by_order.end() && k.arrival > arrival && k.priority > goes->second;
      if (arrival != own && !gives_way && by_path.contains(path)) add(out, by_path.at(path));
    }
    return out;
  }
  [[nodiscard]] tally of_queue(const std::string &path) const {
    const auto found = queues.find(path);
    return found == queues.end() ? tally() : found->second;
  }
};

}  // namespace tenon::naive
