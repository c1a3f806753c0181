// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The bytes of one call's requests as messages: five bytes before each say whether it is compressed, and its length.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "status.hpp"

namespace tenon::grpc_transport {

class inbound {
 public:
  // `most`: bytes of a message. `compressed`: those that say so are read.
  inbound(size_t most, bool compressed) : most_(most), compressed_(compressed) {}

  // What has come. Not OK: what a message says of itself cannot be.
  rpc_status take(std::string_view bytes);

  [[nodiscard]] bool has_message() const { return complete_; }

  // The first one; the memory of `to` is used again.
  rpc_status next(std::string &to);
  // Who got the last one needs it no more.
  void forget_last();
  [[nodiscard]] bool has_given() const { return given_ != 0; }

  // Bytes of the call that it has and nobody is done with: of the message that next() gave as well.
  [[nodiscard]] size_t held() const { return held_; }

  // Bytes that have to come, as far as is known, until there is a message.
  [[nodiscard]] size_t lacks() const { return complete_ ? 0 : length_ - message_.size() + header - header_size_; }

 private:
  static constexpr size_t header = 5;

  // Adds what belongs to the message that is on its way; how much that was.
  size_t add(std::string_view bytes, rpc_status &to);
  rpc_status begin();
  void take_rest(rpc_status &to);

  const size_t most_;
  const bool compressed_;
  std::array<unsigned char, header> header_{};
  size_t header_size_ = 0;
  size_t length_ = 0;
  std::string message_;
  bool complete_ = false;
  std::string rest_;  // behind a message that is complete
  size_t rest_at_ = 0;
  size_t held_ = 0;
  size_t given_ = 0;  // of them, with next()
};

}  // namespace tenon::grpc_transport
