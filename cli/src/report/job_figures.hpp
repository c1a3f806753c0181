// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How the jobs of a run fared: waiting, completion and slowdown, by size and by user.
#pragma once

#include <string>
#include <vector>

#include "simulate/run_ledger.hpp"
#include "simulate/spread.hpp"

namespace tenon::cli {

// Jobs shorter than this count as so long when their slowdown is computed.
inline constexpr double slowdown_bound_s = 10;

// A curve that only rises: so large a part of all is at most the value. Ascending in both.
struct cumulative {
  std::vector<double> values, parts;
};

struct job_group {
  std::string name;
  uint64_t jobs = 0;
  double used = 0;  // of the main type, amount times seconds
  spread wait, slowdown;
};

struct job_figures {
  uint64_t jobs = 0, never_started = 0;
  // Seconds from arrival to start, and to the end; and how many times as long that took as the job ran.
  spread wait, completion, slowdown;
  cumulative wait_curve, completion_curve, slowdown_curve;
  std::vector<job_group> sizes;  // by what a job takes of the main type, the smallest first
  std::vector<job_group> users;  // the one that used most first
};

// `type`: the main one. Of a job that did not start the wait is that to `end_ms`. So it is with its other figures. What
// is not known of it even so far has no place in them.
[[nodiscard]] job_figures figure_jobs(const ledger &names, uint32_t type, int64_t end_ms);

}  // namespace tenon::cli
