// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The module's configuration: where it listens, who may what, and what it bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "request.hpp"
#include "tenon/sdk/config.hpp"

namespace tenon::rest {

// A bearer token is kept as its SHA-256.
struct token {
  std::string digest;  // 64 hexadecimal digits
  identity whose;
};

struct settings {
  std::string address = "127.0.0.1";
  uint16_t port = 9080;  // 0: any that is free
  std::string address_file;
  std::string certificate, key;  // files; both or none
  std::string tokens_file;
  std::vector<token> tokens;
  bool token_to_read = false;
  bool wide_open = false;          // told to listen beyond this machine without TLS and tokens
  std::string origin;              // of pages that may ask beside this server's own; "*": all
  std::vector<std::string> hosts;  // names that this server has, in lower case; "*": any
  uint64_t workers = 4;
  uint64_t most_connections = 1024;
  uint64_t most_connections_of_client = 256;
  uint64_t most_streams = 100;
  uint64_t most_streams_of_client = 15;
  uint64_t requests_a_second = 20'000;  // of one client; 0: no limit
  uint64_t most_body = uint64_t{4} << 20;

  // Throws sdk::invalid_config.
  explicit settings(const sdk::config &from);

  [[nodiscard]] bool tls() const { return !certificate.empty(); }
};

// Who has this token; nobody: not known.
[[nodiscard]] const identity *owner_of(const std::vector<token> &tokens, std::string_view text);

}  // namespace tenon::rest
