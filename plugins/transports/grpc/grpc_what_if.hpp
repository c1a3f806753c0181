// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The service tenon.v1.WhatIf on the host service tenon.host.explain, and who may ask what.
#pragma once

#include <string>
#include <string_view>

#include "admin.hpp"
#include "http2/method_routes.hpp"
#include "registry.hpp"
#include "tenon/abi/host_explain.h"
#include "worker.hpp"

namespace tenon::grpc_transport {

class what_if {
 public:
  // All of them outlive it.
  what_if(const settings &with, const sdk::host_services &host, registry &rms, const admin &admins);

  [[nodiscard]] const routes &methods() const { return methods_; }

 private:
  // `may_administer`: whether who asks may use the service Admin.
  using question = rpc_status (what_if::*)(const call &from, const rpc_status &may_administer, std::string_view request,
                                           std::string &response);

  void offer(const std::string &path, uint32_t most_bytes, const admin &admins, question how);
  rpc_status ask(const call &from, const rpc_status &may_administer, std::string_view request, std::string &response);
  rpc_status explain(const call &from, const rpc_status &may_administer, std::string_view request,
                     std::string &response);
  // The partition's full name, if an RM says its own; else empty, and an administrator asks.
  rpc_status let_in(const call &from, const rpc_status &may_administer, const std::string &rm,
                    const std::string &own_name, std::string &partition);

  const sdk::host_services &host_;
  registry &registry_;
  const tenon_host_explain *explain_;
  worker worker_;
  routes methods_;
};

}  // namespace tenon::grpc_transport
