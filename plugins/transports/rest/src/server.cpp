// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "conversation.hpp"
#include "tenon/sdk/unavailable.hpp"

namespace tenon::rest {

namespace asio = boost::asio;
using asio::ip::tcp;
using error_code = boost::system::error_code;

struct server::impl {
  impl(const settings &s, const services &use) : limits(s), given(use), shared(limits, given) {}

  settings limits;
  services given;
  hub shared;
  std::unique_ptr<asio::ssl::context> tls;
  std::optional<tcp::acceptor> acceptor;
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work;
  std::thread thread;
  std::string url;

  void open_tls();
  void listen();
  asio::awaitable<void> accept();
  void say_turned_away();
  std::chrono::steady_clock::time_point said;  // that connections are turned away
};

namespace {

// Descriptors that connections leave to the rest of the process.
constexpr rlim_t spared = 32;

bool takes_last_files(int connected) {
  rlimit files{};
  return ::getrlimit(RLIMIT_NOFILE, &files) == 0 && static_cast<rlim_t>(connected) + spared >= files.rlim_cur;
}

}  // namespace

void server::impl::say_turned_away() {
  const auto now = std::chrono::steady_clock::now();
  if (now - said < std::chrono::seconds(1)) return;
  said = now;
  given.log.log(TENON_LOG_WARNING,
                "connections are turned away: the process may open no more files (LimitNOFILE, ulimit -n)");
}

void server::impl::open_tls() {
  if (!limits.tls()) return;
  try {
    tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                     asio::ssl::context::no_tlsv1_1);
    tls->use_certificate_chain_file(limits.certificate);
    tls->use_private_key_file(limits.key, asio::ssl::context::pem);
  } catch (const std::exception &e) {
    throw sdk::invalid_config("configuration keys \"tls_certificate\", \"tls_key\": " + limits.certificate + ", " +
                              limits.key + ": " + e.what());
  }
}

void server::impl::listen() {
  error_code problem;
  const tcp::endpoint where(asio::ip::make_address(limits.address), limits.port);
  const auto fail = [&](std::string_view what) {
    if (problem) {
      throw sdk::unavailable("cannot " + std::string(what) + " " + limits.address + " port " +
                             std::to_string(limits.port) + ": " + problem.message() + "; choose another \"listen\"");
    }
  };
  acceptor.emplace(shared.io);
  acceptor->open(where.protocol(), problem);
  fail("open a socket for");
  acceptor->set_option(asio::socket_base::reuse_address(true), problem);
  acceptor->bind(where, problem);
  fail("bind");
  acceptor->listen(asio::socket_base::max_listen_connections, problem);
  fail("listen on");
  const bool v6 = where.address().is_v6();
  url = std::string(limits.tls() ? "https://" : "http://") + (v6 ? "[" + limits.address + "]" : limits.address) + ":" +
        std::to_string(acceptor->local_endpoint().port());
  if (!limits.address_file.empty()) {
    const std::string fresh = limits.address_file + ".new";
    std::ofstream file(fresh);
    file << url << "\n";
    file.close();
    std::error_code why = file ? std::error_code{} : std::error_code(errno, std::generic_category());
    if (file) std::filesystem::rename(fresh, limits.address_file, why);  // whoever waits for it reads it whole
    if (why) {
      throw sdk::unavailable("configuration key \"address_file\": cannot write " + limits.address_file + ": " +
                             why.message());
    }
  }
}

asio::awaitable<void> server::impl::accept() {
  for (;;) {
    error_code problem;
    tcp::socket socket = co_await acceptor->async_accept(asio::redirect_error(asio::use_awaitable, problem));
    if (problem == asio::error::operation_aborted || !acceptor->is_open()) co_return;
    if (problem) {  // out of descriptors, for one: it passes
      asio::steady_timer pause(shared.io, std::chrono::milliseconds(50));
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, problem));
      continue;
    }
    if (takes_last_files(socket.native_handle())) {
      say_turned_away();
      continue;  // which closes it
    }
    socket.set_option(tcp::no_delay(true), problem);
    asio::co_spawn(shared.io, converse(shared, std::move(socket), tls.get()), asio::detached);
  }
}

server::server(const settings &s, const services &use) : impl_(std::make_unique<impl>(s, use)) {}
server::~server() { stop(std::chrono::milliseconds(0)); }

void server::start() {
  impl &s = *impl_;
  s.open_tls();
  s.listen();
  s.work.emplace(asio::make_work_guard(s.shared.io));
  asio::co_spawn(s.shared.io, s.accept(), asio::detached);
  s.thread = std::thread([&s] {
    pthread_setname_np(pthread_self(), "tenon-rest");
    s.shared.io.run();
  });
  s.given.log.log(TENON_LOG_INFO, "listens on " + s.url);
}

void server::stop(std::chrono::milliseconds drain) {
  impl &s = *impl_;
  if (!s.thread.joinable()) return;
  const auto until = std::chrono::steady_clock::now() + drain;
  asio::post(s.shared.io, [&s] {
    error_code ignored;
    s.shared.stopping = true;
    s.acceptor->close(ignored);
  });
  while (s.shared.busy != 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  asio::post(s.shared.io, [&s] {
    s.shared.stopping = true;
    const auto open = s.shared.open;  // closing one takes it out
    for (const auto &[id, close] : open) close();
    s.work.reset();
  });
  s.thread.join();  // when the last connection is gone
  s.shared.pool.join();
  if (!s.limits.address_file.empty()) {
    std::error_code ignored;
    std::filesystem::remove(s.limits.address_file, ignored);
  }
}

const std::string &server::url() const { return impl_->url; }

}  // namespace tenon::rest
