// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "byte_socket.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "tls.hpp"

namespace tenon::grpc_transport {
namespace {

namespace asio = boost::asio;
using error_code = boost::system::error_code;
using plain = asio::generic::stream_protocol::socket;

template <class Stream>
class socket_on : public byte_socket {
 public:
  template <class... From>
  explicit socket_on(user &of, From &&...from) : user_(of), stream_(std::forward<From>(from)...) {}

  void read(std::span<uint8_t> to) override {
    stream_.async_read_some(asio::buffer(to.data(), to.size()),
                            [this](error_code problem, size_t count) { user_.has_read(problem ? 0 : count); });
  }
  void write(std::span<const uint8_t> all) override {
    asio::async_write(stream_, asio::buffer(all.data(), all.size()),
                      [this](error_code problem, size_t) { user_.has_written(!problem); });
  }
  void close() override {
    error_code ignored;
    stream_.lowest_layer().shutdown(plain::shutdown_both, ignored);
    stream_.lowest_layer().close(ignored);
  }

 protected:
  user &user_;
  Stream stream_;
};

class plain_socket final : public socket_on<plain> {
 public:
  using socket_on::socket_on;
  void shake_hands() override {
    asio::post(stream_.get_executor(), [this] { user_.ready(""); });
  }
  [[nodiscard]] std::vector<std::string> names() const override { return {}; }
};

// Keeps what its stream refers to; a base, so that it is there before.
struct context_holder {
  explicit context_holder(std::shared_ptr<SSL_CTX> it) : kept(std::move(it)), context(shared(kept.get())) {}
  // Asio's context gives its reference back.
  static SSL_CTX *shared(SSL_CTX *it) {
    SSL_CTX_up_ref(it);
    return it;
  }
  std::shared_ptr<SSL_CTX> kept;
  asio::ssl::context context;
};

class tls_socket final : private context_holder, public socket_on<asio::ssl::stream<plain>> {
 public:
  tls_socket(user &of, plain from, std::shared_ptr<SSL_CTX> with)
      : context_holder(std::move(with)), socket_on(of, std::move(from), context) {}

  void shake_hands() override {
    stream_.async_handshake(asio::ssl::stream_base::server,
                            [this](error_code problem) { user_.ready(problem ? problem.message() : ""); });
  }
  [[nodiscard]] std::vector<std::string> names() const override {
    return names_of_client(const_cast<asio::ssl::stream<plain> &>(stream_).native_handle());
  }
};

}  // namespace

std::unique_ptr<byte_socket> socket_of(asio::io_context &io, int descriptor, int family, std::shared_ptr<SSL_CTX> tls,
                                       byte_socket::user &of) {
  plain made(io, asio::generic::stream_protocol(family, 0), descriptor);
  if (!tls) return std::make_unique<plain_socket>(of, std::move(made));
  return std::make_unique<tls_socket>(of, std::move(made), std::move(tls));
}

}  // namespace tenon::grpc_transport
