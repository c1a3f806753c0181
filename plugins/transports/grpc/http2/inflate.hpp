// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Messages that clients compressed, by gzip or deflate.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "status.hpp"

namespace tenon::grpc_transport {

// What `grpc-encoding` may say of messages that are compressed.
[[nodiscard]] inline bool can_inflate(std::string_view encoding) { return encoding == "gzip" || encoding == "deflate"; }

// Not OK beyond `most` bytes, however few they were before, and of bytes that are not compressed so.
rpc_status inflated(std::string_view bytes, size_t most, std::string &to);

}  // namespace tenon::grpc_transport
