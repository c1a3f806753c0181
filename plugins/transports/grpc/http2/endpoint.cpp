// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "endpoint.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tenon::grpc_transport {
namespace {

namespace asio = boost::asio;
using error_code = boost::system::error_code;

constexpr int at_once = 64;                             // connections, before others are looked after
constexpr std::chrono::milliseconds accept_pause{100};  // where no connection can be accepted, until it is tried again
constexpr uint64_t looks_of_second = std::chrono::seconds(1) / look_interval;
// Descriptors that connections leave to the rest of the process.
constexpr rlim_t spared = 32;

}  // namespace

struct endpoint::listening_socket {
  listening_socket(asio::io_context &io, const listener &of, int listening)
      : by(of), socket(io, listening), pause(io) {}
  const listener &by;
  asio::posix::stream_descriptor socket;
  asio::steady_timer pause;
};

endpoint::endpoint(const limits &with, std::vector<const routes *> calls, limited_log &log)
    : limits_(with), routes_(std::move(calls)), log_(log) {}

endpoint::~endpoint() { shut_down(std::chrono::milliseconds(0)); }

void endpoint::open(std::vector<listener> listeners, std::shared_ptr<SSL_CTX> tls) {
  tls_ = std::move(tls);
  for (listener &each : listeners) {
    listener &by = listeners_.emplace_back(std::move(each));
    for (descriptor &one : by.sockets) listening_.push_back(std::make_unique<listening_socket>(io_, by, one.release()));
  }
  for (const auto &each : listening_) wait_at(*each);
  look();
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "tenon-grpc");
    io_.run();
  });
}

void endpoint::shut_down(std::chrono::milliseconds farewell) {
  if (!thread_.joinable()) return;
  post([this] {
    stopping_ = true;
    listening_.clear();
    for (const listener &each : listeners_) each.remove();
    for (const auto &each : connections_) each->say_goodbye();
  });
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, farewell, [this] { return over_.load(); })) {
      post([this] {
        for (const auto &each : connections_) each->close();
      });
      changed_.wait(lock, [this] { return over_.load(); });
    }
  }
  work_.reset();
  thread_.join();
}

void endpoint::wait_at(listening_socket &at) {
  at.socket.async_wait(asio::posix::stream_descriptor::wait_read, [this, &at](error_code problem) {
    if (problem) return;  // the listening_socket is gone
    accept(at);
    settle();
  });
}

void endpoint::accept(listening_socket &at) {
  for (int i = 0; i < at_once; ++i) {
    const int connected = accept4(at.socket.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connected >= 0) {
      welcome(at.by, connected);
      continue;
    }
    const bool one_is_gone = errno == ECONNABORTED || errno == EINTR || errno == EPROTO || errno == EPERM;
    if (one_is_gone) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) break;
    // Out of descriptors or memory: it passes, and the wait ends at once as long as somebody knocks.
    log_.say("at " + at.by.address + " cannot be accepted: " + std::strerror(errno));
    at.pause.expires_after(accept_pause);
    at.pause.async_wait([this, &at](error_code problem) {
      if (!problem) wait_at(at);
    });
    return;
  }
  wait_at(at);
}

void endpoint::welcome(const listener &at, int connected) {
  descriptor held(connected);
  peer by = peer_of(at, connected);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && static_cast<rlim_t>(connected) + spared >= files.rlim_cur) {
    log_.say(by.address + ": turned away, the process may open no more than " + std::to_string(files.rlim_cur) +
             " files");
    return;
  }
  const size_t of_client = of_client_[by.client];
  const bool full = of_client >= limits_.connections_of_client;
  if ((full || connections_.size() >= limits_.connections) && !make_room(full ? by.client : "")) {
    log_.say(by.address + ": turned away, there are " +
             (full ? std::to_string(of_client) + " of " + by.client : std::to_string(connections_.size())) +
             " connections with open calls");
    if (of_client == 0) of_client_.erase(by.client);
    return;
  }
  ++of_client_[by.client];
  const bool is_unix = !at.path.empty();
  const int family = is_unix ? AF_UNIX : by.address.starts_with('[') ? AF_INET6 : AF_INET;
  // An answer must not wait until the client has acknowledged the answer before it. Without the option it comes later.
  constexpr int on = 1;
  if (!is_unix) setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto tls = is_unix ? nullptr : tls_;
  connections_.push_back(std::make_unique<connection>(*this, held.release(), family, std::move(tls), std::move(by)));
}

bool endpoint::make_room(const std::string &client) {
  connection *longest = nullptr;
  for (const auto &each : connections_) {
    if (each->is_closed() || !each->is_idle() || (!client.empty() && each->by().client != client)) continue;
    if (longest == nullptr || each->idle_since() < longest->idle_since()) longest = each.get();
  }
  if (longest == nullptr) return false;
  longest->close();
  forget_closed();
  return true;
}

void endpoint::settle() {
  while (!touched_.empty() || !to_flush_.empty()) {
    // Reactions first: what they say goes out together.
    for (call *each : std::exchange(touched_, {})) each->react();
    if (!touched_.empty()) continue;
    for (connection *each : std::exchange(to_flush_, {})) each->flush();
  }
  if (some_closed_) forget_closed();
  if (stopping_) check_over();
}

void endpoint::touch(call &one) {
  if (!std::exchange(one.touched_, true)) touched_.push_back(&one);
}

void endpoint::forget_closed() {
  std::erase_if(connections_, [this](const auto &one) {
    if (!one->is_over()) return false;
    const auto of = of_client_.find(one->by().client);
    if (--of->second == 0) of_client_.erase(of);
    return true;
  });
  // Those whose socket has not said its last word are looked at again when it does.
  some_closed_ =
      std::any_of(connections_.begin(), connections_.end(), [](const auto &one) { return one->is_closed(); });
}

void endpoint::check_over() {
  if (!connections_.empty() || calls_ != 0) return;
  timer_.cancel();
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

void endpoint::look() {
  timer_.expires_after(look_interval);
  timer_.async_wait([this](error_code problem) {
    if (problem) return;
    const auto now = connection::clock::now();
    const bool a_second_passed = ++looks_ % looks_of_second == 0;
    for (const auto &each : connections_) each->look(now, a_second_passed);
    for (call *each : strangers_) {
      if (!each->has_read_ && now - each->since_ > limits_.first_message) {
        each->refuse({status_code::deadline_exceeded, "want a request, have none for too long"});
      }
    }
    settle();
    if (!over_) look();
  });
}

const route *endpoint::find(const std::string &path) const {
  for (const routes *each : routes_) {
    if (const route *found = each->find(path)) return found;
  }
  return nullptr;
}

rpc_status endpoint::may_open() {
  if (stopping_) return {status_code::unavailable, "the scheduler shuts down; try again later"};
  if (strangers_.size() < limits_.strangers) return {};
  const auto oldest =
      std::find_if(strangers_.begin(), strangers_.end(), [](const call *each) { return each->can_be_refused(); });
  const rpc_status full{status_code::resource_exhausted,
                        "want at most " + std::to_string(limits_.strangers) +
                            " calls of clients that have not said whose they are, have one more; close one, or raise "
                            "max_unnamed_streams"};
  // Some that were ended may wait still for whoever answers them.
  if (oldest == strangers_.end() || strangers_.size() >= 2 * limits_.strangers) return full;
  (*oldest)->refuse(full);
  return {};
}

void endpoint::add(call &one) {
  ++calls_;
  one.stranger_ = strangers_.insert(strangers_.end(), &one);
}

void endpoint::is_known(call &one) {
  if (one.stranger_) strangers_.erase(*one.stranger_);
  one.stranger_.reset();
}

void endpoint::forget(call &one) {
  is_known(one);
  --calls_;
}

bool endpoint::take_large_of_stranger(size_t bytes) {
  if (large_of_strangers_ + bytes > max_large_of_strangers * limits_.message) return false;
  large_of_strangers_ += bytes;
  return true;
}

}  // namespace tenon::grpc_transport
