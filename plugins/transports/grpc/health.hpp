// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// gRPC's standard health service: whether the server serves, for the whole of it and for each of its services.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "services.hpp"

namespace tenon::grpc_transport {

class health {
 public:
  // `names`: of the services that can be asked about.
  explicit health(std::vector<std::string> names);

  service &methods() { return methods_; }

  // From now on it does not serve. Those who watch are told, and their calls end.
  void stop_serving();

 private:
  class watch;

  [[nodiscard]] bool knows(const std::string &name) const;
  grpc::Status check(std::string_view request, std::string &response);

  const std::vector<std::string> names_;
  std::mutex mutex_;  // guards what follows up to the next comment
  bool serving_ = true;
  std::set<watch *> watches_;

  // Last, so that its calls are over first.
  service methods_;
};

}  // namespace tenon::grpc_transport
