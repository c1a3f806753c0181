// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon config plan`: what a queues.yaml would change, refuse and cost, before it is reloaded. docs/plan.md.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace tenon::cli {

// How `tenon config plan` ends, as tools do that plan.
enum class plan_exit : int {
  nothing = 0,  // nothing changes
  failed = 1,   // there is no plan: an option, a file or the daemon is in the way
  changes = 2,
  loses = 3,  // it would be refused, or lose something
  worse = 4   // whatever is lost: played again, a figure is worse than it may be
};

struct config_plan_options {
  std::string file;          // queues.yaml; "-": the standard input
  std::string live;          // the control socket of a daemon; empty: the state is that of the journal
  std::string policy_group;  // of the daemon; empty: "default"
  int64_t timeout_s = 30;    // for its answer
  std::string journal;       // also what is played again; empty: nothing is
  std::string deployment;    // that the journal was recorded with; empty: every module on the path
  std::string module_path;
  std::string rm;  // only of this one; empty: of all of the journal
  bool replay = true;
  std::optional<double> hours;       // of the replay, the last ones; nothing: the whole recording
  std::vector<std::string> fail_if;  // thresholds on the replay
  bool json = false;
};

plan_exit run_config_plan(const config_plan_options &options, std::istream &in, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
