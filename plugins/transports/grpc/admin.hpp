// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The service tenon.v1.Admin on the host service tenon.host.admin, and who may use it.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>
#include <string_view>

#include "services.hpp"
#include "settings.hpp"
#include "tenon/abi/host_admin.h"
#include "tenon/sdk/host.hpp"
#include "worker.hpp"

namespace tenon::grpc_transport {

class admin {
 public:
  // Throws sdk::invalid_config where the token cannot be read.
  admin(const settings &with, const sdk::host_services &host);

  service &methods() { return methods_; }

 private:
  using method = grpc::Status (admin::*)(const tenon_admin_caller &, std::string_view request, std::string &response);

  void add(const char *name, method body);
  // OK, and the caller's name; or why not.
  grpc::Status let_in(const grpc::ServerContext &context, std::string &user) const;

  grpc::Status update_config(const tenon_admin_caller &by, std::string_view request, std::string &response);
  grpc::Status validate_config(const tenon_admin_caller &by, std::string_view request, std::string &response);
  grpc::Status recovery_done(const tenon_admin_caller &by, std::string_view request, std::string &response);
  grpc::Status step(const tenon_admin_caller &by, std::string_view request, std::string &response);

  template <class Request, class Response>
  grpc::Status configure(bool change, const tenon_admin_caller &by, std::string_view request, std::string &response);

  const settings &settings_;
  const sdk::host_services &host_;
  const tenon_host_admin *admin_;
  std::string token_;
  worker worker_;
  service methods_;
};

}  // namespace tenon::grpc_transport
