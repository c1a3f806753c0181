// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// gRPC's standard reflection service, v1 and v1alpha: which services there are, and their messages.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "http2/method_routes.hpp"

namespace tenon::grpc_transport {

class reflection {
 public:
  // `names`: of the services that it lists.
  explicit reflection(std::vector<std::string> names);

  [[nodiscard]] const routes &methods() const { return methods_; }

  // From now on each conversation ends when its question is answered.
  void stop_serving();

 private:
  class conversation;

  const std::vector<std::string> names_;
  std::mutex mutex_;  // guards what follows, but methods_
  bool serving_ = true;
  std::set<conversation *> conversations_;
  routes methods_;
};

}  // namespace tenon::grpc_transport
