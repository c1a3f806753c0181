// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// gRPC's standard health service: whether the server serves, for each of its services; and for the whole of it, whether
// the scheduler does its work, as REST and the control socket say it, too.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "http2/method_routes.hpp"
#include "worker.hpp"

namespace tenon::grpc_transport {

class health {
 public:
  // `names`: of the services that can be asked about. `well`, from any thread: whether the scheduler does its work;
  // empty: nobody knows.
  explicit health(std::vector<std::string> names, std::function<bool()> well = {});

  [[nodiscard]] const routes &methods() const { return methods_; }

  // From now on it does not serve. Those who watch are told, and their calls end.
  void stop_serving();

 private:
  class watch;

  [[nodiscard]] bool knows(const std::string &name) const;
  rpc_status check(std::string_view request, std::string &response);
  void look();                                                                           // and tells those who watch
  [[nodiscard]] bool serves(bool whole) const { return serving_ && (!whole || well_); }  // the lock is held

  const std::vector<std::string> names_;
  const std::function<bool()> ask_;
  std::mutex mutex_;  // guards what follows, but methods_
  bool serving_ = true, well_ = true;
  std::set<watch *> watches_;
  routes methods_;
  std::optional<worker> looking_;  // last: it ends before the rest goes
};

}  // namespace tenon::grpc_transport
