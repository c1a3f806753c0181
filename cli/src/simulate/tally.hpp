// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Counts what happens in a run from its commands and decisions alone, whether a load is simulated or a
// journal is played again. Placeholders use the capacity, but are neither placed nor waited for: the asks that replace
// them are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/run_ledger.hpp"
#include "simulate/run_timeline.hpp"
#include "simulate/spread.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::cli {

// Use of one resource type, as parts of the capacity at that time.
struct utilisation {
  double peak = 0, average = 0;
};

// Devices of a type, on all nodes, at the end.
struct device_use {
  uint64_t all = 0, free = 0, in_part = 0, full = 0;
  double free_in_parts = 0;  // what devices that are used in part have free, in whole devices
};

// Asks that the resource manager gave up, never placed.
struct given_up {
  std::string reason, application, queue;
  int64_t arrival_ms = 0;
  uint64_t count = 0;
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
  std::vector<std::string> findings;  // what is wrong with the run as a whole, a sentence each, without a full stop
  std::map<std::string, utilisation> use;  // by resource type
  // Seconds from submission to placement; of what was never placed, to the end of the run. By queue.
  std::map<std::string, spread> waits;
  spread all_waits;
  std::map<std::string, device_use> devices;  // by resource type, where nodes divide it
  double makespan_s = 0;   // virtual time from the first command to the last end of an allocation, or command
  double gpus_placed = 0;  // sum over placed asks, whole GPUs
  // Where asks arrived one after the other: what part of the GPUs was placed when asks for so many per cent of them had
  // arrived, from 0 on.
  std::vector<double> allocation;
};

class tally {
 public:
  // `keep` as well takes every change, and names their indexes as long as this lives. Null: nobody wants them.
  explicit tally(timeline *keep = nullptr);
  tally(const tally &) = delete;
  tally &operator=(const tally &) = delete;

  // A command, before its decisions.
  void sees(int64_t now_ms, const command &c);
  void hears(const decision_view &d);
  // How long the ask runs once it is placed.
  void lasts(std::string_view partition, std::string_view application, std::string_view key, int64_t duration_ms) {
    ledger_.lasts(partition, application, key, duration_ms);
  }
  // An ask for so many thousandths of GPUs came and was placed, or will not be.
  void arrives(int64_t gpu_milli);
  // They count as pending, and wait to the end.
  void leaves_out(given_up what);
  void finds(const std::string &finding) { findings_.push_back(finding); }
  // What could not be played at all.
  void skips(const std::string &reason, uint64_t count);
  // The run is over.
  void ends();

  [[nodiscard]] uint64_t placed() const { return placed_; }
  [[nodiscard]] const ledger &book() const { return ledger_; }
  // What is left pending is told by the state at the end.
  [[nodiscard]] run_summary summary(const kernel_snapshot &end) const;

 private:
  struct level {  // of one resource type
    int64_t used = 0, capacity = 0;
    double peak = 0;
    double area = 0;  // used parts times milliseconds
  };

  void moves_to(int64_t now_ms);
  void takes(const change &c);
  level &level_of(uint32_t type);
  [[nodiscard]] int64_t gpu_milli_capacity() const;

  ledger ledger_;
  timeline *keep_;
  int64_t first_ms_ = 0, now_ms_ = 0;
  bool started_ = false;
  uint64_t commands_ = 0, decisions_ = 0, placed_ = 0, rejected_ = 0, preempted_ = 0;
  int64_t gpu_milli_placed_ = 0;
  // Of asks that arrive one after the other: what they asked for, what was placed before the last one, and that by per
  // cent of the capacity.
  int64_t gpu_milli_arrived_ = 0, gpu_milli_before_ = 0;
  std::vector<int64_t> gpu_milli_by_percent_;
  std::vector<level> levels_;                   // by type
  std::vector<std::vector<int64_t>> waits_ms_;  // by queue
  std::map<std::string, uint64_t> rejection_reasons_, skipped_;
  std::map<std::string, std::string, std::less<>> refused_applications_;  // why each was
  std::vector<given_up> left_out_;
  std::vector<std::string> findings_;
};

}  // namespace tenon::cli
