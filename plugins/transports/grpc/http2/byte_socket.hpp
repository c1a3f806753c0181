// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A connected socket, with or without TLS. One thread: that of the io_context.
#pragma once

#include <openssl/ssl.h>

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon::grpc_transport {

class byte_socket {
 public:
  // Hears how each thing that was begun ended, later and never from inside the call that began it. Lives until all
  // have.
  class user {
   public:
    virtual void ready(const std::string &problem) = 0;  // empty: the handshake is done
    virtual void has_read(size_t count) = 0;             // 0: nothing more comes
    virtual void has_written(bool all) = 0;

   protected:
    ~user() = default;
  };

  virtual ~byte_socket() = default;

  // First. Without TLS nothing is to be done.
  virtual void shake_hands() = 0;
  // One of each at a time; the bytes stay until the end.
  virtual void read(std::span<uint8_t> to) = 0;
  virtual void write(std::span<const uint8_t> all) = 0;
  // What is under way ends, without success.
  virtual void close() = 0;
  // Of the client's certificate.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
};

// Takes the descriptor of a stream socket of any family. `tls`: null without.
std::unique_ptr<byte_socket> socket_of(boost::asio::io_context &io, int descriptor, int family,
                                       std::shared_ptr<SSL_CTX> tls, byte_socket::user &of);

}  // namespace tenon::grpc_transport
