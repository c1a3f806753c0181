// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A call with one request and one answer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http2/call.hpp"
#include "worker.hpp"

namespace tenon::grpc_transport {

// The answer's bytes go to `response`.
using unary_body = std::function<rpc_status(const call &from, std::string_view request, std::string &response)>;

// The body runs on the worker, where it may wait; without one on the thread of the server, where it may not. A call
// that may not be made (`may` is not OK) ends before its request is read.
void begin_unary(worker *on, std::unique_ptr<incoming> opened, rpc_status may, unary_body body);

}  // namespace tenon::grpc_transport
