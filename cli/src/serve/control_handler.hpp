// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Answers what comes over the control socket: docs/control-socket.md.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/refusal.hpp"
#include "tenon/observe/observe_services.hpp"
#include "tenon/observe/operations.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::cli {

class control_handler {
 public:
  // What is not the scheduler's own.
  struct surroundings {
    std::function<observe::configuration_outcome(const observe::caller &, const observe::configuration_change &)>
        reload;
    observe::services &people;
    std::function<boost::json::object()> shadow;  // what is known of it; empty: there is none
  };

  control_handler(service::scheduler &scheduler, surroundings around);
  ~control_handler();

  // Whether an answer waits for the scheduler. Anything else is answered even while that is held up.
  [[nodiscard]] static bool waits(std::string_view request);
  // Whether it may wait for an event as well, for as long as the request says.
  [[nodiscard]] static bool waits_for_events(std::string_view request);
  // A line of JSON for a line of JSON, both without their ends. Requests that wait: one thread at a time; those that
  // wait for events: any number. Without `may_wait` such a one is answered with what there is.
  [[nodiscard]] std::string answer(std::string_view request, const observe::caller &who, bool may_wait = true);
  // From any thread: nobody waits for events any more.
  void give_up();

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

// An answer that says no, to a request that has no id.
[[nodiscard]] std::string refusing_answer(const refusal &why);

}  // namespace tenon::cli
