// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Messages as bytes in gRPC's buffers.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <string_view>

namespace tenon::grpc_transport {

inline grpc::ByteBuffer buffer_of(std::string_view bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  return {&slice, 1};
}

// All bytes of a buffer in one piece; false where they cannot be read.
inline bool in_one_piece(grpc::ByteBuffer &from, grpc::Slice &to) {
  return from.TrySingleSlice(&to).ok() || from.DumpToSingleSlice(&to).ok();
}

inline bool parse(grpc::ByteBuffer &from, google::protobuf::MessageLite &to) {
  grpc::Slice bytes;
  return in_one_piece(from, bytes) && to.ParseFromArray(bytes.begin(), static_cast<int>(bytes.size()));
}

}  // namespace tenon::grpc_transport
