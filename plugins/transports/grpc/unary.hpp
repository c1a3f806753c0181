// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A call with one request and one answer, which is made on another thread.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>
#include <string_view>

#include "worker.hpp"

namespace tenon::grpc_transport {

using bytes_reactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// The answer's bytes go to `response`. Runs on the worker; may wait.
using unary_body = std::function<grpc::Status(const grpc::CallbackServerContext &context, std::string_view request,
                                              std::string &response)>;

// Frees itself when the call is done.
bytes_reactor *new_unary(worker &on, grpc::CallbackServerContext &context, unary_body body);

}  // namespace tenon::grpc_transport
