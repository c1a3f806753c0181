// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A server of gRPC: listeners, their connections, and one thread that reads and writes all of them.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "call.hpp"
#include "connection_limits.hpp"
#include "http2_connection.hpp"
#include "limited_log.hpp"
#include "listener.hpp"
#include "method_routes.hpp"

namespace tenon::grpc_transport {

class endpoint {
 public:
  // `calls`: what answers, and stays.
  endpoint(const limits &with, std::vector<const routes *> calls, limited_log &log);
  ~endpoint();
  endpoint(const endpoint &) = delete;
  endpoint &operator=(const endpoint &) = delete;

  // Begins to accept. `tls`: of those that are no Unix sockets; null without.
  void open(std::vector<listener> listeners, std::shared_ptr<SSL_CTX> tls);

  // Takes no connections and no calls any more, waits so long for those that are open, then ends them. Returns when no
  // call is left.
  void shut_down(std::chrono::milliseconds farewell);

  // Whether this is its thread.
  [[nodiscard]] bool is_here() { return io_.get_executor().running_in_this_thread(); }

  // Runs it there, later.
  template <class F>
  void post(F act) {
    boost::asio::post(io_, [this, f = std::move(act)]() mutable {
      f();
      settle();
    });
  }

  // What follows is for connections and calls, on its thread.

  [[nodiscard]] boost::asio::io_context &context() { return io_; }

  // Whoever ran something there: reactions follow, and what they said goes out.
  void settle();
  void touch(call &one);
  void will_flush(connection &one) { to_flush_.push_back(&one); }

  [[nodiscard]] const limits &bounds() const { return limits_; }
  [[nodiscard]] limited_log &log() { return log_; }
  [[nodiscard]] const route *find(const std::string &path) const;
  // Why no call can be opened; OK: it can.
  rpc_status may_open();
  void has_closed() { some_closed_ = true; }

  // A call that has not said whose it is.
  void add(call &one);
  void is_known(call &one);
  // It is done.
  void forget(call &one);
  [[nodiscard]] bool take_large_of_stranger(size_t bytes);
  void give_large_of_stranger(size_t bytes) { large_of_strangers_ -= bytes; }

 private:
  struct listening_socket;  // one listening socket

  void accept(listening_socket &at);
  void wait_at(listening_socket &at);
  void welcome(const listener &at, int connected);
  // Closes one that has no call open, the longest: of this client, or of all where it is empty.
  bool make_room(const std::string &client);
  void forget_closed();
  void check_over();
  void look();
  void end_all();

  const limits limits_;
  const std::vector<const routes *> routes_;
  limited_log &log_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  boost::asio::steady_timer timer_{io_};
  std::thread thread_;

  // The thread's own.
  std::vector<std::unique_ptr<listening_socket>> listening_;
  std::list<listener> listeners_;
  std::shared_ptr<SSL_CTX> tls_;
  std::list<std::unique_ptr<connection>> connections_;
  std::unordered_map<std::string, size_t> of_client_;
  std::vector<call *> touched_;
  std::vector<connection *> to_flush_;
  std::list<call *> strangers_;  // in the order in which they came
  size_t large_of_strangers_ = 0;
  size_t calls_ = 0;
  uint64_t looks_ = 0;
  bool stopping_ = false;
  bool some_closed_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> over_ = false;  // stopping, and neither calls nor connections are left
};

}  // namespace tenon::grpc_transport
