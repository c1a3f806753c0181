// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A call with one request and one answer.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "call.hpp"
#include "worker.hpp"

namespace tenon::grpc_transport {

// The answer's bytes go to `response`.
using unary_body =
    std::function<grpc::Status(const grpc::ServerContext &context, std::string_view request, std::string &response)>;

// The body runs on the worker, where it may wait; without one on the thread of the server's queue, where it may not.
void begin_unary(worker *on, std::unique_ptr<incoming> opened, unary_body body);

}  // namespace tenon::grpc_transport
