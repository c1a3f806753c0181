// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Counts what happens in a run from its commands and decisions alone, whether a load is simulated or a
// journal is played again. Placeholders use the capacity, but are neither placed nor waited for: the asks that replace
// them are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::cli {

// Use of one resource type, as parts of the capacity at that time.
struct utilisation {
  double peak = 0, average = 0;
};

// Seconds from submission to placement.
struct waiting {
  uint64_t placed = 0;
  double p50 = 0, p90 = 0, p99 = 0, most = 0;
};

struct run_summary {
  uint64_t nodes = 0;
  uint64_t placed = 0;    // asks placed at least once, counted by allocation
  uint64_t pending = 0;   // not placed at the end
  uint64_t rejected = 0;  // asks that were refused
  uint64_t preempted = 0;
  uint64_t skipped = 0;  // jobs of a trace that could not be played
  uint64_t commands = 0, decisions = 0;
  std::map<std::string, uint64_t> pending_reasons, rejection_reasons, skipped_reasons;
  std::map<std::string, utilisation> use;  // by resource type
  std::map<std::string, waiting> waits;    // by queue
  double makespan_s = 0;   // virtual time from the first command to the last end of an allocation, or command
  double gpus_placed = 0;  // sum over placed asks, whole GPUs
};

class tally {
 public:
  // A command, before its decisions.
  void sees(int64_t now_ms, const command &c);
  void hears(const decision_view &d);
  // Asks that were never submitted: they count as pending.
  void leaves_out(const std::string &reason, uint64_t count);
  // What could not be played at all.
  void skips(const std::string &reason, uint64_t count);

  [[nodiscard]] uint64_t placed() const { return placed_; }
  // What is left pending is told by the state at the end.
  [[nodiscard]] run_summary summary(const kernel_snapshot &end) const;

 private:
  struct ask_record {
    int64_t arrival_ms = 0;
    amount_map resources;
    int64_t wanted = 1, placed = 0;
    bool placeholder = false;  // takes room, and is no ask of anybody
  };
  struct level {  // of one resource type
    int64_t used = 0, capacity = 0;
    double peak = 0;
    double area = 0;  // used parts times milliseconds
  };
  using ask_id = std::tuple<std::string, std::string, std::string>;  // partition, application, key

  void sees_ask(int64_t now_ms, const put_ask &ask);
  void sees_node(const add_node &node);
  void moves_to(int64_t now_ms);
  void changes_use(const amount_map &by, int64_t sign);
  void changes_capacity(const amount_map &by, int64_t sign);
  void hears_allocated(const decision_view &d);

  int64_t first_ms_ = 0, now_ms_ = 0, last_ms_ = 0;
  bool started_ = false;
  uint64_t commands_ = 0, decisions_ = 0, placed_ = 0, rejected_ = 0, preempted_ = 0;
  int64_t gpu_milli_placed_ = 0;
  std::map<ask_id, ask_record> asks_;
  std::map<std::pair<std::string, std::string>, amount_map> nodes_;          // partition, node; its capacity
  std::map<std::pair<std::string, std::string>, amount_map> offered_nodes_;  // not accepted so far
  std::map<std::string, level> levels_;
  std::map<std::string, std::vector<int64_t>> waits_ms_;
  std::map<std::string, uint64_t> rejection_reasons_, left_out_, skipped_;
};

}  // namespace tenon::cli
