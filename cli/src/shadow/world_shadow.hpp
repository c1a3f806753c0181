// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A scheduler that is told what another one was told, and asks a second configuration now and then what it would decide
// in the same state: docs/shadow.md.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "diff/differences.hpp"
#include "diff/left_alone.hpp"
#include "run/engine.hpp"
#include "run/run_policies.hpp"
#include "shadow/both_sources.hpp"
#include "tenon/host/deployment.hpp"

namespace tenon::cli {

struct shadow_counts {
  uint64_t commands = 0, decisions = 0;  // that were played
  int64_t at_ms = 0;                     // the time of the last command
  uint64_t compared = 0;                 // moments at which the daemon decides something
  uint64_t same = 0;                     // the next decision of both
  uint64_t refused = 0;                  // the state is in the way of the shadow's configuration
  uint64_t passed_over = 0;              // moments at which the shadow was too far behind
  uint64_t next = 0;                     // decisions before the next moment
  uint64_t checked = 0;                  // of the daemon's decisions, against those of the replay
  uint64_t unequal = 0;
  uint64_t faults = 0;  // of modules, here

  [[nodiscard]] uint64_t other() const { return compared - same - refused; }
};

// The daemon's own decision, and what a replay with its configuration made in its place.
struct unequal_decision {
  uint64_t decision = 0;
  std::string of_daemon, of_replay;
};

// A module that failed here, where the daemon's may not have.
struct shadow_fault {
  uint64_t decision = 0;      // so many were played
  bool is_of_replay = false;  // else of a comparison
  std::string module, text;   // id and version; what it did
};

class world_shadow {
 public:
  struct listeners {
    std::function<void(const first_difference &)> other;  // of the first ones
    uint64_t first = 0;                                   // so many
    std::function<void(const unequal_decision &)> unequal;
    std::function<void(const shadow_fault &)> fault;  // the first of each module in each place
    std::function<void()> round = {};                 // after each of a step, which may have many
  };

  // `plan` has a shadow. Nothing is compared before so many decisions.
  [[nodiscard]] static result<std::unique_ptr<world_shadow>> open(const host::deployment &plan,
                                                                  const std::string &module_path, uint64_t from,
                                                                  listeners told);
  ~world_shadow();
  world_shadow(const world_shadow &) = delete;
  world_shadow &operator=(const world_shadow &) = delete;

  // What of the shadow is not as in force: for people.
  [[nodiscard]] const std::map<std::string, std::string> &settings() const { return settings_; }

  // `is_behind`: no time for comparisons now.
  void take(int64_t now_ms, const command &c, const std::function<bool()> &is_behind);
  // Lines of the daemon's decisions, as it writes them. Without any nothing is checked.
  void hear(std::string_view line);
  void wants_lines() { keeps_lines_ = true; }
  // Of the daemon, which the replay has not come to.
  [[nodiscard]] size_t lines_ahead() const { return heard_.size(); }
  // Of the replay, which the daemon's have not come to.
  [[nodiscard]] size_t lines_behind() const { return made_.size(); }
  [[nodiscard]] const shadow_counts &counts() const { return counts_; }

 private:
  world_shadow(const host::world_shadow_use &how, uint64_t from, listeners told);
  std::optional<refusal> read_configurations(const host::deployment &plan, const host::deployment &other);
  void look_before(int64_t now_ms, const step &next, const std::function<bool()> &is_behind);
  [[nodiscard]] bool compares_within(const step &next) const;
  void look(engine &at, uint64_t decisions, int64_t now_ms, const step &next, const std::function<bool()> &is_behind);
  [[nodiscard]] configurations of_shadow() const;
  void remember(const command &c);
  void check_lines();
  void note_fault(const host::module_fault &fault);

  const host::world_shadow_use how_;
  const listeners told_;
  shadow_counts counts_;
  std::set<std::pair<std::string, bool>> failed_;  // modules, whether in a comparison
  opened_policies policies_, own_policies_;        // in force, and the shadow's where it has a deployment
  std::unique_ptr<both_sources> both_;
  std::map<std::string, cluster_config> by_group_;
  std::map<std::string, std::string> settings_;
  std::unique_ptr<engine> replay_;
  configurations in_force_;                      // by RM
  std::map<std::string, std::string> group_of_;  // RM
  uint64_t next_try_ = 0;                        // command
  bool keeps_lines_ = false, is_comparing_ = false;
  std::deque<std::string> made_, heard_;
};

}  // namespace tenon::cli
