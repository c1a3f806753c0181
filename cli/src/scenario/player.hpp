// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Plays a scenario against a fresh scheduler in virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "run/engine.hpp"
#include "run/scheduler_session.hpp"
#include "scenario/checker.hpp"
#include "scenario/document.hpp"
#include "scenario/rm_model.hpp"
#include "tenon/config/queues.hpp"

namespace tenon::cli {

// What a scenario is played with.
struct stage {
  policy_source *policies = nullptr;  // outlives the play
  config::known_policies known;       // what configurations may name
  engine_factory make_engine = kernel_factory();
  // The journals, one for each life of the scheduler (a restart begins another): called at the start of each
  // life. And the decisions of all. Empty: not wanted.
  std::function<byte_sink()> next_journal;
  byte_sink decisions;
  std::string origin;  // of the journals, for their headers
};

// Plays `what` to its end or to the first step that does not hold; the failures of that step.
[[nodiscard]] std::vector<failure> play(const scenario &what, const stage &on);

}  // namespace tenon::cli
