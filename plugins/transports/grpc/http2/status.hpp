// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How a call ends: gRPC's codes, with message.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace tenon::grpc_transport {

// The numbers are gRPC's.
enum class status_code : uint8_t {
  ok = 0,
  cancelled = 1,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  unauthenticated = 16,
};

struct rpc_status {
  status_code code = status_code::ok;
  std::string message;

  [[nodiscard]] bool ok() const { return code == status_code::ok; }
};

// With message of any length, cut where a client would not take more.
inline rpc_status status_of(status_code code, std::string message) {
  constexpr size_t most = 2'000;  // a client's limit on headers is 8 KiB, and each byte may take three
  if (message.size() > most) message = message.substr(0, most) + " ...";
  return {code, std::move(message)};
}

}  // namespace tenon::grpc_transport
