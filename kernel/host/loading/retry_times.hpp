// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// When modules that failed are asked again.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace tenon::host {

class retry_times {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  // A module is asked again once it has had no fault for `first`, and after twice as long each further time. One that
  // then decides for `sound` begins anew. 0: no module is asked again.
  retry_times(std::chrono::milliseconds first, std::chrono::milliseconds sound) : first_(first), sound_(sound) {}

  // Returns true if the module is to be asked again now, and counts that as a try. Its last fault was at `fault`.
  [[nodiscard]] bool is_due(const std::string &module, time_point now, time_point fault);
  // Notes that the module decides at `now`.
  void decides(const std::string &module, time_point now);

 private:
  struct tried {
    uint32_t times = 0;
    time_point last{};
  };

  std::chrono::milliseconds first_, sound_;
  std::map<std::string, tried> tried_;  // by module
};

}  // namespace tenon::host
