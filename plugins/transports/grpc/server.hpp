// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The gRPC server of one transport instance, from start to stop.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "admin.hpp"
#include "health.hpp"
#include "process_log.hpp"
#include "reflection.hpp"
#include "registry.hpp"
#include "services.hpp"

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
  void configure(grpc::ServerBuilder &builder) const;
  void add_methods();
  std::vector<std::string> names_of_opened(const std::vector<int> &ports);
  grpc::Status register_rm(const grpc::ServerContext &context, std::string_view request, bool checks);

  const settings &settings_;
  process_log log_;
  std::unique_ptr<queue> queue_;  // outlives all calls
  rm_host host_;
  registry registry_;
  admin admin_;
  health health_;
  reflection reflection_;
  service scheduler_;
  service later_;
  service checks_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace tenon::grpc_transport
