// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Where the server listens, and with which certificate.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "settings.hpp"

namespace tenon::grpc_transport {

// Adds all addresses; `ports` gets the port of each once the server is built. Throws sdk::invalid_config, and
// sdk::unavailable where another process listens there.
void add_listeners(const settings &with, grpc::ServerBuilder &builder, std::vector<int> &ports);

// What is wrong where the server was not built. Throws sdk::unavailable.
[[noreturn]] void refuse_listeners(const settings &with, const std::vector<int> &ports);

// Gives sockets their mode. The addresses, with the ports that were chosen. Throws sdk::unavailable.
std::vector<std::string> opened_listeners(const settings &with, const std::vector<int> &ports);

}  // namespace tenon::grpc_transport
