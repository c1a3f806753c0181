// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the server answers to: methods by their paths, whose messages are bytes. Two dialects share a path, so none of
// them is bound to a type.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/service_type.h>

#include <deque>
#include <functional>
#include <string>

#include "unary.hpp"

namespace tenon::grpc_transport {

class service : public grpc::Service {
 public:
  using maker = std::function<bytes_reactor *(grpc::CallbackServerContext &)>;

  // `path` as "/si.v1.Scheduler/Update". A call with one request is a stream, too.
  void add(std::string path, maker make) {
    const std::string &kept = paths_.emplace_back(std::move(path));
    const auto index = static_cast<int>(paths_.size() - 1);
    AddMethod(new grpc::internal::RpcServiceMethod(kept.c_str(), grpc::internal::RpcMethod::BIDI_STREAMING, nullptr));
    MarkMethodRawCallback(
        index, new grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>(
                   [make = std::move(make)](grpc::CallbackServerContext *context) { return make(*context); }));
  }

 private:
  std::deque<std::string> paths_;
};

}  // namespace tenon::grpc_transport
