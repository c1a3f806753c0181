// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The gRPC server of one transport instance, from start to stop.
#pragma once

#include <chrono>

#include "admin.hpp"
#include "grpc_health.hpp"
#include "grpc_what_if.hpp"
#include "http2/endpoint.hpp"
#include "reflection.hpp"
#include "registry.hpp"

namespace tenon::grpc_transport {

class server {
 public:
  // Listens when it returns. Throws sdk::invalid_config and sdk::unavailable.
  server(const settings &with, const sdk::host_services &host, uint64_t transport);

  // Refuses what is new, lets answers that wait go out, and closes.
  void stop(std::chrono::milliseconds drain);

  tenon_status deliver(const tenon_transport_deliver_in &in, uint64_t &taken) { return registry_.deliver(in, taken); }

  void ended(tenon_rm_session session, uint32_t why) { registry_.ended(session, why); }

 private:
  void add_methods();
  void listen();
  rpc_status register_rm(const call &from, std::string_view request, bool checks);

  const settings &settings_;
  rm_host host_;
  limited_log log_;
  registry registry_;
  admin admin_;
  what_if what_if_;
  health health_;
  reflection reflection_;
  routes methods_;
  endpoint endpoint_;  // last, so that calls are over first
};

}  // namespace tenon::grpc_transport
