// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon ctl events`: what happened, and what happens from now on.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "ctl/client.hpp"

namespace tenon::cli {

struct events_options {
  control_choice choice;
  bool as_json = false, follow = false;
  uint64_t limit = 0;
  int64_t since_ms = 0, until_ms = 0;
  std::vector<std::string> types;
  std::string partition, object, application, queue, node, run;
};

// Follows until the daemon is gone or the process is.
[[nodiscard]] int print_events(const events_options &o, std::ostream &out, std::ostream &err);

}  // namespace tenon::cli
