// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/scheduler_session.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "tenon/host/thread_role.hpp"

namespace tenon::cli {

session::session(std::unique_ptr<engine> scheduler, session_sinks sinks)
    : scheduler_(std::move(scheduler)), sinks_(std::move(sinks)), recorder_(sinks_.journal, sinks_.origin) {}

uint32_t session::apply(int64_t now_ms, const command &c, const listener &listen) {
  const host::role_guard cycle(host::thread_role::cycle);
  const auto start = std::chrono::steady_clock::now();
  const uint32_t made = scheduler_->apply(now_ms, c);
  if (std::holds_alternative<step>(c)) {
    step_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    step_decisions_ += made;
  }
  recorder_.record(now_ms, c, scheduler_->answers());
  scheduler_->drain([&](const decision_view &d) {
    ++decisions_;
    if (sinks_.decisions) sinks_.decisions(format(d) + '\n');
    listen(d);
  });
  return made;
}

}  // namespace tenon::cli
