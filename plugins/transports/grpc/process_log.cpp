// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "process_log.hpp"

#include <grpc/support/log.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::grpc_transport {
namespace {

using namespace std::chrono;

constexpr size_t kLinesOfSecond = 10;  // clients can make gRPC say one for each connection

struct state {
  std::mutex mutex;
  std::vector<const sdk::host_services *> hosts;
  steady_clock::time_point second;
  size_t said = 0;
  size_t left_out = 0;
};

// Never destroyed, as the host keeps a module's code: a thread of gRPC may be on its way here after the last server.
state &shared() {
  static state *const once = new state;  // NOLINT(cppcoreguidelines-owning-memory)
  return *once;
}

// The lock is held.
void say_what_was_left_out(state &of) {
  if (of.left_out == 0) return;
  of.hosts.back()->log(TENON_LOG_WARNING, "gRPC: " + std::to_string(of.left_out) + " lines were left out");
  of.left_out = 0;
}

void take(gpr_log_func_args *line) {
  state &to = shared();
  const std::lock_guard lock(to.mutex);
  if (to.hosts.empty()) return;
  if (const auto now = steady_clock::now(); now - to.second >= seconds(1)) {
    say_what_was_left_out(to);
    to.second = now;
    to.said = 0;
  }
  if (to.said >= kLinesOfSecond) {
    ++to.left_out;
    return;
  }
  ++to.said;
  const std::string_view file(line->file);
  // Its errors are mostly those of one connection.
  const uint32_t level = line->severity == GPR_LOG_SEVERITY_ERROR  ? TENON_LOG_WARNING
                         : line->severity == GPR_LOG_SEVERITY_INFO ? TENON_LOG_INFO
                                                                   : TENON_LOG_DEBUG;
  to.hosts.back()->log(level, "gRPC: " + std::string(line->message) + " (" +
                                  std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line->line) +
                                  ")");
}

}  // namespace

process_log::process_log(const sdk::host_services &to) : to_(to) {
  state &all = shared();
  const std::lock_guard lock(all.mutex);
  all.hosts.push_back(&to_);
  gpr_set_log_function(take);
}

process_log::~process_log() {
  state &all = shared();
  const std::lock_guard lock(all.mutex);
  if (all.hosts.back() == &to_) say_what_was_left_out(all);
  all.hosts.erase(std::find(all.hosts.begin(), all.hosts.end(), &to_));
  if (all.hosts.empty()) gpr_set_log_function(nullptr);  // gRPC's own
}

}  // namespace tenon::grpc_transport
