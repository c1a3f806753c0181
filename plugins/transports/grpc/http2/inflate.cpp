// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "inflate.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <array>

namespace tenon::grpc_transport {
namespace {

constexpr int either = MAX_WBITS + 32;  // gzip and zlib, as the bytes say

}  // namespace

rpc_status inflated(std::string_view bytes, size_t most, std::string &to) {
  to.clear();
  z_stream from{};
  if (inflateInit2(&from, either) != Z_OK) return {status_code::internal, "a message could not be decompressed"};
  from.next_in = reinterpret_cast<const Bytef *>(bytes.data());
  from.avail_in = static_cast<uInt>(bytes.size());
  std::array<char, 16'384> buffer{};
  int said = Z_OK;
  while (said == Z_OK && to.size() <= most) {
    from.next_out = reinterpret_cast<Bytef *>(buffer.data());
    from.avail_out = static_cast<uInt>(buffer.size());
    said = inflate(&from, Z_NO_FLUSH);
    to.append(buffer.data(), buffer.size() - from.avail_out);
  }
  inflateEnd(&from);
  if (to.size() > most) {
    to = {};
    return {status_code::resource_exhausted, "want a request of at most " + std::to_string(most) +
                                                 " bytes when it is decompressed, have a larger one; send it in "
                                                 "parts, or raise max_message_bytes"};
  }
  if (said == Z_STREAM_END && from.avail_in == 0) return {};
  return {status_code::invalid_argument, "want a message compressed as grpc-encoding says, have a damaged one"};
}

}  // namespace tenon::grpc_transport
