// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Plays the load of a recording with policies and a configuration of choice, and leaves it alone: what is placed ends
// its own run time later, and what was evicted is asked for again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diff/recorded_load.hpp"
#include "run/scheduler_session.hpp"
#include "simulate/run_timeline.hpp"
#include "simulate/tally.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::cli {

// How a side of a comparison is configured.
struct side_configuration {
  std::optional<cluster_config> config;  // nothing: as recorded
  int64_t from_ms = INT64_MIN;           // from then on, as if it were reloaded; up to there as recorded
  std::string rm;                        // of this one alone; empty: of all
  std::string node_sort;                 // in place of the configuration's; empty: as configured
  int64_t until_ms = INT64_MAX;          // nothing of what comes later is played
};

struct placement {
  std::string ask;   // ask_name()
  uint32_t nth = 0;  // allocation of it
  int64_t at_ms = 0;
  std::string node, queue;
};

struct eviction {
  int64_t at_ms = 0, ran_ms = 0;
  std::string queue;
};

// Tells decisions apart, and says which command made one.
struct decision_mark {
  uint64_t digest = 0;
  uint64_t command = 0;  // the how manieth of the run, from 1
};

using configurations = std::map<std::string, cluster_config>;  // by RM

// Called before the command of that number: the run ends with that command.
struct watched_command {
  uint64_t number = 0;  // 0: none, it goes on to its end
  std::function<void(engine &)> before = {};
  // Called before a step that may decide, each time after so many more decisions, with what was recorded as configured;
  // true: it was one that decides.
  uint64_t every = 0;  // 0: never
  std::function<bool(engine &, int64_t now_ms, const configurations &)> look = {};
};

class side_run {
 public:
  side_run() : counted_(&kept_) {}

  // What the scheduler says where it refuses the configuration.
  [[nodiscard]] std::optional<std::string> play(const recorded_load &what, const side_configuration &how,
                                                std::unique_ptr<engine> scheduler, session_sinks sinks,
                                                const watched_command &watched = {});

  [[nodiscard]] const timeline &changes() const { return kept_; }
  [[nodiscard]] const tally &counted() const { return counted_; }
  [[nodiscard]] const std::vector<placement> &placements() const { return placements_; }
  [[nodiscard]] const std::vector<eviction> &evictions() const { return evictions_; }
  [[nodiscard]] const std::vector<decision_mark> &marks() const { return marks_; }
  [[nodiscard]] const std::vector<std::string> &lines() const { return lines_; }  // of the watched command
  [[nodiscard]] const run_summary &summary() const { return summary_; }
  [[nodiscard]] uint64_t step_decisions() const { return step_decisions_; }
  [[nodiscard]] double step_seconds() const { return step_seconds_; }

 private:
  friend class left_alone_player;

  timeline kept_;
  tally counted_;
  std::vector<placement> placements_;
  std::vector<eviction> evictions_;
  std::vector<decision_mark> marks_;
  std::vector<std::string> lines_;
  run_summary summary_;
  uint64_t step_decisions_ = 0;
  double step_seconds_ = 0;
};

}  // namespace tenon::cli
