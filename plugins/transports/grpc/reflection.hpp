// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// gRPC's standard reflection service, v1 and v1alpha: which services there are, and their messages.
#pragma once

#include <string>
#include <vector>

#include "services.hpp"

namespace tenon::grpc_transport {

class reflection {
 public:
  // `names`: of the services that it lists.
  explicit reflection(std::vector<std::string> names);

  service &methods() { return methods_; }

 private:
  class conversation;

  const std::vector<std::string> names_;
  service methods_;
};

}  // namespace tenon::grpc_transport
