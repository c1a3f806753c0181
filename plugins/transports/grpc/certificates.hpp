// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The server's certificate, its key and who signs those of clients, read and checked before gRPC gets them, which says
// of none of them what is wrong.
#pragma once

#include <string>

#include "settings.hpp"

namespace tenon::grpc_transport {

struct pem_texts {
  std::string certificate;  // empty: no TLS
  std::string key;
  std::string client_ca;  // empty: clients need no certificate
};

// Throws sdk::invalid_config.
pem_texts read_certificates(const settings &with);

}  // namespace tenon::grpc_transport
