// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// TLS for a server of HTTP/2, by OpenSSL.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <vector>

namespace tenon::grpc_transport {

struct pem_texts {
  std::string certificate;  // empty: no TLS
  std::string key;
  std::string client_ca;  // empty: clients need no certificate
};

// TLS 1.2 and newer, for HTTP/2 alone, without what a client could make it do again and again: no renegotiation, no
// sessions that are kept. Throws std::runtime_error with OpenSSL's message.
std::shared_ptr<SSL_CTX> tls_of(const pem_texts &texts);

// The common name and the alternative names of the certificate that the client showed; none without one.
std::vector<std::string> names_of_client(const SSL *connection);

// What OpenSSL says of its last failure on this thread; leaves none for others to find.
std::string tls_problem();

}  // namespace tenon::grpc_transport
