// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The state at the end of a journal, with what a plan has to know beside it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/refusal.hpp"
#include "tenon/observe/config_plan.hpp"

namespace tenon::cli {

struct journal_state {
  std::unique_ptr<kernel> state;
  std::map<std::string, cluster_config> in_force;  // by RM, of those that are there
  std::vector<observe::submission> submissions;    // that differ, the last ones
  uint64_t commands = 0;
};

// The policies outlive what is given.
[[nodiscard]] result<journal_state> read_journal_state(std::string_view journal, policy_source &policies);

}  // namespace tenon::cli
