// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the deployment says about one server, checked.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/sdk/config.hpp"

namespace tenon::grpc_transport {

struct settings {
  // Reads the files that they name, to see that they can be used. Throws sdk::invalid_config.
  explicit settings(const sdk::config &from);

  std::vector<std::string> listen;  // "127.0.0.1:9444", "unix:/run/tenon.sock"
  uint32_t socket_mode;             // of Unix sockets

  std::string certificate;  // PEM files; empty: no TLS
  std::string key;
  std::string client_ca;  // empty: clients need no certificate

  std::string admin_token_file;                 // empty: no token opens the admin service
  std::vector<std::string> admin_certificates;  // names that may use it

  size_t connections;
  size_t connections_of_client;
  size_t rms;
  size_t streams_per_rm;
  size_t unnamed_streams;   // that have not said yet whose they are
  size_t anonymous_config;  // bytes of queues that come over a connection which says nothing of who its RMs are
  size_t message_bytes;     // of one request
  size_t queue_bytes;       // answers that wait for one slow stream
  size_t settle_bytes;      // answers are known to have arrived once so much was written after them

  std::chrono::milliseconds connect_timeout;  // from registration to the first stream
  std::chrono::milliseconds keepalive;
  std::chrono::milliseconds keepalive_timeout;
};

// "unix:PATH" gives the path, anything else an empty text.
std::string socket_path(const std::string &address);

}  // namespace tenon::grpc_transport
