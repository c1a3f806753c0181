// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Status codes with words that fit beside them.
#pragma once

#include <grpcpp/support/status.h>

#include <string>
#include <utility>

namespace tenon::grpc_transport {

inline grpc::Status status_of(grpc::StatusCode code, std::string words) {
  constexpr size_t most = 2'000;  // a client's limit on headers is 8 KiB, and each byte may take three
  if (words.size() > most) words = words.substr(0, most) + " ...";
  return {code, std::move(words)};
}

}  // namespace tenon::grpc_transport
