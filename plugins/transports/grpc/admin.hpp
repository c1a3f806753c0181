// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The service tenon.v1.Admin on the host service tenon.host.admin, and who may use it.
#pragma once

#include <string>
#include <string_view>

#include "grpc_settings.hpp"
#include "http2/method_routes.hpp"
#include "tenon/abi/host_admin.h"
#include "tenon/sdk/host.hpp"
#include "worker.hpp"

namespace tenon::grpc_transport {

class admin {
 public:
  // Throws sdk::invalid_config where the token cannot be read.
  admin(const settings &with, const sdk::host_services &host);

  [[nodiscard]] const routes &methods() const { return methods_; }

  // OK, and the caller's name; or why not.
  rpc_status let_in(const incoming &from, std::string &user) const;

 private:
  using method = rpc_status (admin::*)(const tenon_admin_caller &, std::string_view request, std::string &response);

  void add(const char *name, method body);

  rpc_status update_config(const tenon_admin_caller &by, std::string_view request, std::string &response);
  rpc_status validate_config(const tenon_admin_caller &by, std::string_view request, std::string &response);
  rpc_status recovery_done(const tenon_admin_caller &by, std::string_view request, std::string &response);
  rpc_status step(const tenon_admin_caller &by, std::string_view request, std::string &response);

  template <class Request, class Response>
  rpc_status configure(bool change, const tenon_admin_caller &by, std::string_view request, std::string &response);

  const settings &settings_;
  const sdk::host_services &host_;
  const tenon_host_admin *admin_;
  std::string token_;
  worker worker_;
  routes methods_;
};

}  // namespace tenon::grpc_transport
