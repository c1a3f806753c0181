// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>

namespace tenon::rest {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::awaitable;
using asio::use_awaitable;
using error_code = stream::error_code;

class plain_stream : public stream {
 public:
  explicit plain_stream(asio::ip::tcp::socket socket) : tcp_(std::move(socket)) {}

  beast::tcp_stream &tcp() override { return tcp_; }
  awaitable<void> open(error_code & /*problem*/) override { co_return; }
  awaitable<void> close(error_code &problem) override {
    tcp_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, problem);
    co_return;
  }
  awaitable<size_t> read(asio::mutable_buffer into, error_code &problem) override {
    return tcp_.async_read_some(into, asio::redirect_error(use_awaitable, problem));
  }
  awaitable<void> write(const buffers &bytes, error_code &problem) override {
    co_await asio::async_write(tcp_, bytes, asio::redirect_error(use_awaitable, problem));
  }

 private:
  beast::tcp_stream tcp_;
};

class tls_stream : public stream {
 public:
  tls_stream(asio::ip::tcp::socket socket, asio::ssl::context &tls) : tls_(beast::tcp_stream(std::move(socket)), tls) {}

  beast::tcp_stream &tcp() override { return tls_.next_layer(); }
  awaitable<void> open(error_code &problem) override {
    return tls_.async_handshake(asio::ssl::stream_base::server, asio::redirect_error(use_awaitable, problem));
  }
  awaitable<void> close(error_code &problem) override {
    tcp().expires_after(std::chrono::seconds(2));
    return tls_.async_shutdown(asio::redirect_error(use_awaitable, problem));
  }
  awaitable<size_t> read(asio::mutable_buffer into, error_code &problem) override {
    return tls_.async_read_some(into, asio::redirect_error(use_awaitable, problem));
  }
  awaitable<void> write(const buffers &bytes, error_code &problem) override {
    co_await asio::async_write(tls_, bytes, asio::redirect_error(use_awaitable, problem));
  }

 private:
  beast::ssl_stream<beast::tcp_stream> tls_;
};

}  // namespace

std::unique_ptr<stream> make_stream(asio::ip::tcp::socket socket, asio::ssl::context *tls) {
  if (tls == nullptr) return std::make_unique<plain_stream>(std::move(socket));
  return std::make_unique<tls_stream>(std::move(socket), *tls);
}

}  // namespace tenon::rest
