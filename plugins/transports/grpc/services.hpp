// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the server answers to: methods by their paths, whose messages are bytes. Two dialects share a path, so none of
// them is bound to a type.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "call.hpp"
#include "queue.hpp"

namespace tenon::grpc_transport {

class service : public grpc::Service {
 public:
  service();
  ~service() override;

  // Makes what answers the call, which frees itself.
  using maker = std::function<void(std::unique_ptr<incoming>)>;

  // `path` as "/si.v1.Scheduler/Update". A call with one request is a stream, too.
  void add(std::string path, maker make);

  // Its server has been started: every method waits for a call, and for the next one once it has come.
  void open(queue &on);

 private:
  class door;

  std::deque<std::string> paths_;
  std::vector<std::unique_ptr<door>> doors_;
  queue *queue_ = nullptr;
};

}  // namespace tenon::grpc_transport
