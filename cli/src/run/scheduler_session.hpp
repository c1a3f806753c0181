// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One life of a scheduler: every command goes through here, so that the journal and the list of decisions
// are complete by construction.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "run/engine.hpp"
#include "tenon/service/recorder.hpp"

namespace tenon::cli {

using byte_sink = std::function<void(std::string_view bytes)>;

// Where a session writes. An empty sink: not wanted.
struct session_sinks {
  byte_sink journal;
  byte_sink decisions;  // format() lines
  std::string origin;   // of the journal, for its header
};

class session {
 public:
  using listener = std::function<void(const decision_view &)>;

  // Writes the journal's header.
  session(std::unique_ptr<engine> scheduler, session_sinks sinks);

  // Applies a command, records it (a step with the answers that it used) and hands its decisions to
  // `listen` before it returns. Returns what the scheduler's apply returns.
  uint32_t apply(int64_t now_ms, const command &c, const listener &listen);

  [[nodiscard]] engine &scheduler() { return *scheduler_; }
  [[nodiscard]] uint64_t decisions() const { return decisions_; }
  // Decisions that steps made, and the wall time that they took inside the scheduler.
  [[nodiscard]] uint64_t step_decisions() const { return step_decisions_; }
  [[nodiscard]] double step_seconds() const { return step_seconds_; }

 private:
  std::unique_ptr<engine> scheduler_;
  session_sinks sinks_;
  service::recorder recorder_;
  uint64_t decisions_ = 0, step_decisions_ = 0;
  double step_seconds_ = 0;
};

}  // namespace tenon::cli
