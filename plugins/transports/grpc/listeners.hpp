// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Where the server listens, and with which certificate.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "settings.hpp"

namespace tenon::grpc_transport {

// The text of a file that the configuration names. Throws sdk::invalid_config.
std::string file_text(const std::string &path, std::string_view key);

// Adds all addresses; `ports` gets the port of each once the server is built. Throws sdk::invalid_config, and
// sdk::unavailable where another process listens there.
void add_listeners(const settings &with, grpc::ServerBuilder &builder, std::vector<int> &ports);

// Gives sockets their mode. The addresses, with the ports that were chosen.
std::vector<std::string> opened_listeners(const settings &with, const std::vector<int> &ports);

}  // namespace tenon::grpc_transport
