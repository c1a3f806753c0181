// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What gRPC itself says, in the host's log: it has one log in a process, which goes to standard error else.
#pragma once

#include "tenon/sdk/host.hpp"

namespace tenon::grpc_transport {

// While one lives, gRPC's lines go to the host of the newest: at most ten a second, and how many were left out.
class process_log {
 public:
  explicit process_log(const sdk::host_services &to);
  ~process_log();
  process_log(const process_log &) = delete;
  process_log &operator=(const process_log &) = delete;

 private:
  const sdk::host_services &to_;
};

}  // namespace tenon::grpc_transport
