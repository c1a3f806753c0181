// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people ask of a running scheduler, as JSON: docs/control-socket.md has the keys.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>

#include "tenon/kernel/snapshot.hpp"

namespace tenon::cli {

// Which of them; empty and 0: all.
struct state_filter {
  std::string partition;  // "[rm]name", or its name alone
  std::string queue;      // and those below it
  std::string state, user, name;
  bool ended = false;  // applications: those that have ended instead
  uint64_t limit = 0;  // in all partitions together
};

[[nodiscard]] boost::json::object queues_json(const kernel_snapshot &from, const state_filter &which);
[[nodiscard]] boost::json::object canaries_json(const kernel_snapshot &from, const state_filter &which);
[[nodiscard]] boost::json::object applications_json(const kernel_snapshot &from, const state_filter &which);
[[nodiscard]] boost::json::object nodes_json(const kernel_snapshot &from, const state_filter &which);

}  // namespace tenon::cli
