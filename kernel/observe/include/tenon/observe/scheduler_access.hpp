// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The kernel_access to a running scheduler.
//
//   auto people = tenon::observe::open_to_people(*scheduler);   // before scheduler->start()
//
// lives as long as the scheduler.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tenon/observe/observe_services.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::observe {

struct people_options {
  // Told what was recorded as an event; from any thread. May be empty.
  std::function<void(const audited &)> audit;
  // Sets the level of the log; false: there is no such level. Empty: there is no log to set.
  std::function<bool(std::string_view level)> log_level;
  std::function<std::vector<figure>()> figures;  // of whoever runs the scheduler, from any thread; may be empty
  std::function<std::string()> world_shadow;     // JSON of it, from any thread; empty: there is none
  // Why a build of a module does not pass the checks; from any thread, and may take minutes. Empty: there are none.
  std::function<std::optional<refusal>(const host::build_beside &)> verify_build;
  std::chrono::milliseconds health_memory = std::chrono::minutes(5);  // how long a fault is not well
  uint64_t most_copied = observe::most_copied;  // objects for what-if questions, plans and explanations
  // Where the scheduler is manual: the time to which a step of people moves it. Empty: time stays.
  std::function<int64_t()> step_clock_ms;
};

class people_services {
 public:
  virtual ~people_services() = default;
  [[nodiscard]] virtual services &all() = 0;
};

// Offers the host services of services.hpp to the scheduler's modules. Not after start(). Outlives the modules.
[[nodiscard]] std::shared_ptr<people_services> open_to_people(service::scheduler &to, people_options options = {});

}  // namespace tenon::observe
