// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One conversation with a daemon over its control socket.
#pragma once

#include <boost/json/fwd.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <variant>

#include "run/exit_code.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// Where the daemon is looked for; empty: where it listens unless told.
struct control_choice {
  std::string control;     // its socket
  std::string deployment;  // what it was started with
  int64_t timeout_s = 30;  // for an answer
};

// A refusal and how the command ends with it.
struct no_answer {
  refusal why;
  exit_code code = exit_code::failed;
};
using control_answer = std::variant<boost::json::object, no_answer>;

class control_client {
 public:
  explicit control_client(control_choice choice) : choice_(std::move(choice)) {}
  // The result that the daemon gives.
  [[nodiscard]] control_answer ask(boost::json::object request);

 private:
  control_choice choice_;
};

}  // namespace tenon::cli
