// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether a path may become the server's Unix socket.
#pragma once

#include <string>

namespace tenon::grpc_transport {

// The path can be that of a socket, whoever has it now. Throws sdk::invalid_config.
void check_socket_path(const std::string &path);

// The path is free, or has a socket that nobody listens on, which the server replaces. Never waits for whoever listens.
// Throws sdk::invalid_config, and sdk::unavailable where another process has it.
void check_socket(const std::string &path);

}  // namespace tenon::grpc_transport
