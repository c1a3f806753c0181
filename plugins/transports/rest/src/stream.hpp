// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The bytes of one connection, plain or over TLS behind one type: what speaks HTTP is compiled once for both.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <memory>
#include <vector>

namespace tenon::rest {

// Everything is called on the thread of the socket's context. A call that fails, or takes longer than the socket's
// deadline, sets its `problem`.
class stream {
 public:
  using error_code = boost::system::error_code;
  using buffers = std::vector<boost::asio::const_buffer>;

  virtual ~stream() = default;
  // Deadlines, and how it is closed.
  [[nodiscard]] virtual boost::beast::tcp_stream &tcp() = 0;
  // Before the first byte and after the last one.
  virtual boost::asio::awaitable<void> open(error_code &problem) = 0;
  virtual boost::asio::awaitable<void> close(error_code &problem) = 0;
  // How many bytes came: one at least, or there is a problem.
  virtual boost::asio::awaitable<size_t> read(boost::asio::mutable_buffer into, error_code &problem) = 0;
  // All bytes.
  virtual boost::asio::awaitable<void> write(const buffers &bytes, error_code &problem) = 0;
};

// `tls` may be null.
std::unique_ptr<stream> make_stream(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context *tls);

}  // namespace tenon::rest
