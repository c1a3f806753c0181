// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a journal says of the load, apart from what its scheduler decided: who asked for what, when, and how long each
// allocation ran. docs/diff.md defines it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "run/engine.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// A command that outlives what it was read from.
class kept_command {
 public:
  explicit kept_command(const command &c);
  void visit(const std::function<void(const command &)> &take) const;

 private:
  std::string journal_;  // of this one command
};

[[nodiscard]] std::string ask_name(std::string_view partition, std::string_view application, std::string_view key);
[[nodiscard]] std::string application_name(std::string_view partition, std::string_view application);

// The scheduler wants it back, and the RM is to confirm.
[[nodiscard]] bool is_taken_back(const decision_view &released);

// Says when applications that ask for placeholders are ready for what these stand for.
class gang_starts {
 public:
  void asks_for_placeholder(const std::string &application) { gangs_.insert(application); }
  [[nodiscard]] bool is_gang(const std::string &application) const { return gangs_.contains(application); }
  // The application that starts with this decision; empty: none does.
  std::string hears(const decision_view &d);

 private:
  std::unordered_set<std::string> gangs_, resuming_, started_;
};

struct recorded_input {
  enum class moment : uint8_t {
    at_its_time,
    after_start,  // at_ms after the application started
    after_runs    // at its time, but not before `runs` allocations of the application have ended
  };
  int64_t at_ms = 0;
  kept_command what;
  moment when = moment::at_its_time;
  std::string application = {};  // where it goes by one
  uint64_t runs = 0;
};

struct recorded_load {
  int64_t first_ms = 0, last_ms = 0;
  std::vector<recorded_input> inputs;  // as they were recorded
  // By name of the ask: how long its allocations ran that the RM ended, in the order of their placement.
  std::unordered_map<std::string, std::vector<int64_t>> run_ms;
  uint64_t commands = 0;
  uint64_t asked_again = 0;    // asks that were sent again because their allocation was preempted
  uint64_t bind_failures = 0;  // placements that the RM undid
  uint64_t refused_checks = 0;
  uint64_t unmatched = 0;  // releases of what this scheduler did not place
};

// Replays the journal as it is. Refused where it is damaged.
[[nodiscard]] result<recorded_load> read_recorded_load(std::string_view journal, std::unique_ptr<engine> scheduler);

}  // namespace tenon::cli
