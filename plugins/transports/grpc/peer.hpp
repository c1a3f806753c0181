// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Who is at the other end: the names in a client's certificate.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>
#include <string_view>

namespace tenon::grpc_transport {

// False on a Unix socket and without TLS.
bool is_encrypted(const grpc::ServerContext &context);

// Its common name, or one of its alternative names.
bool has_name(const grpc::ServerContext &context, std::string_view name);

// For people: "a", "b", or no name.
std::string names_of(const grpc::ServerContext &context);

}  // namespace tenon::grpc_transport
