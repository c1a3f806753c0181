// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What services of the host say to a call with one request, in gRPC's terms.
#pragma once

#include <google/protobuf/message_lite.h>

#include <string>
#include <string_view>

#include "http2/status.hpp"
#include "tenon/abi/base.h"

namespace tenon::grpc_transport {

inline constexpr size_t max_text_bytes = 16'384;

// Where the host puts text of its own.
class answer_room {
 public:
  explicit answer_room(size_t most = max_text_bytes);
  answer_room(const answer_room &) = delete;
  answer_room &operator=(const answer_room &) = delete;
  tenon_message *place() { return &message_; }
  [[nodiscard]] std::string said() const { return room_.substr(0, message_.length); }

 private:
  std::string room_;
  tenon_message message_{};
};

[[nodiscard]] rpc_status status_from(tenon_status status, const std::string &why);

// Reads a message; else says that it is none.
[[nodiscard]] rpc_status parse(std::string_view bytes, google::protobuf::MessageLite &message);

}  // namespace tenon::grpc_transport
