// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Plays a load against a scheduler in virtual time, from event to event. Asks arrive. Allocations end after their
// duration. The resource manager confirms at once what it is asked to release.
// A gang runs from the moment when the last of its workers is placed. With placeholders, its workers are asked for when
// the scheduler says that the application starts. Where the placeholders were not placed in time, the application goes
// on without them: its workers are asked for then, and each runs for itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "load/load.hpp"
#include "run/scheduler_session.hpp"
#include "simulate/gang_book.hpp"
#include "simulate/tally.hpp"

namespace tenon::cli {

enum class load_mode : uint8_t {
  fill,    // all nodes, then all asks at once in the order of the load; nothing ends
  arrive,  // one ask after the other in the order of the load; what finds no place at once is taken back; nothing ends
  replay,  // asks arrive and end at their times
};

// Called between steps: asks submitted so far, and what has been counted.
using progress_listener = std::function<void(uint64_t submitted, const tally &counted)>;

struct simulation {
  const load &what;
  const cluster_config &config;
  load_mode mode = load_mode::replay;
  std::string queue;  // of every application; empty: the load's own
  gang_style gangs = gang_style::soft;
  int64_t placeholder_timeout_ms = 0;  // 0: the scheduler's own

  // Runs to the end of the load and counts into `counted`. What the scheduler says where it refuses the
  // configuration.
  [[nodiscard]] std::optional<std::string> run(session &on, tally &counted, const progress_listener &listen) const;
};

// Plays a journal: the commands with their times and answers. Refused where the journal is damaged; what is
// before the damage has been played.
[[nodiscard]] result<uint64_t> replay_journal(std::string_view bytes, session &on, tally &counted,
                                              const progress_listener &listen);

}  // namespace tenon::cli
