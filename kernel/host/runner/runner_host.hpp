// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tenon_host that a module sees in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "isolation/shared_pages.hpp"
#include "tenon/abi/host.h"

namespace tenon::host::runner {

class runner_host : public tenon_host {
 public:
  // The services that its manifest lists. Lines for the log go behind `page`, for the real host to take.
  runner_host(std::vector<std::string> services, isolation::answer_page &page);
  runner_host(const runner_host &) = delete;
  runner_host &operator=(const runner_host &) = delete;

  // Which of the ABI's threads the caller of the next slot is on, there.
  void on_thread(uint32_t thread) { thread_ = thread; }
  void start_log() { page_.log_used = 0; }

 private:
  static tenon_status find_service(const tenon_host *, const tenon_get_service_in *, tenon_get_service_out *);
  static tenon_status write_log(const tenon_host *, const tenon_log_in *);
  static tenon_status current_thread(const tenon_host *, tenon_thread_out *);

  std::vector<std::string> services_;
  isolation::answer_page &page_;
  uint32_t thread_ = TENON_THREAD_MAIN;
};

}  // namespace tenon::host::runner
