// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The server's certificate, its key and who signs those of clients, read and checked before the server uses them: it
// says of none of them what is wrong.
#pragma once

#include "grpc_settings.hpp"
#include "http2/tls.hpp"

namespace tenon::grpc_transport {

// Throws sdk::invalid_config.
pem_texts read_certificates(const settings &with);

}  // namespace tenon::grpc_transport
