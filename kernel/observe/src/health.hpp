// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is not well, as of now: what went wrong once is well again a while later.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "tenon/host/module_host.hpp"
#include "tenon/observe/door.hpp"

namespace tenon::observe {

struct health_check {
  std::string name, meaning, diagnosis;  // well: no diagnosis
};

class health {
 public:
  // What happened is not well for `memory`.
  health(door &to, host::module_host &modules, std::chrono::milliseconds memory);

  void node_refused();  // from any thread
  [[nodiscard]] std::vector<health_check> look() const;

 private:
  // Of a moment of the steady clock; 0: it never happened.
  [[nodiscard]] bool is_recent(int64_t at_ns) const;

  door &door_;
  host::module_host &modules_;
  const std::chrono::nanoseconds memory_;
  std::atomic<int64_t> refused_node_ns_ = 0;
};

}  // namespace tenon::observe
