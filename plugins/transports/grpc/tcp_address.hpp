// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether a TCP address can be listened on, and if not, why: gRPC does not say.
#pragma once

#include <string>

namespace tenon::grpc_transport {

// `address` as "HOST:PORT" or "[V6]:PORT". Throws sdk::unavailable.
void check_tcp_address(const std::string &address);

}  // namespace tenon::grpc_transport
