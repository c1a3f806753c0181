// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One connection: requests one after the other, until the client or a limit ends it.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <map>
#include <string>

#include "clients.hpp"
#include "service_guards.hpp"
#include "settings.hpp"

namespace tenon::rest {

// What all connections of a server share. `open` and `stopping` belong to the thread of `io`.
struct hub {
  hub(const settings &s, const services &use) : limits(s), services(use), clients(s), pool(s.workers) {}

  const settings &limits;
  const rest::services &services;
  rest::clients clients;
  boost::asio::io_context io{1};
  boost::asio::thread_pool pool;
  std::map<uint64_t, std::function<void()>> open;  // how each connection is closed
  uint64_t next_connection = 1;
  std::atomic<uint64_t> busy = 0;    // requests that are being answered
  std::atomic<uint64_t> bodies = 0;  // bytes that come for clients without a token, as they announced them
  std::atomic<bool> stopping = false;
};

// Serves one client to the end; `tls` may be null.
boost::asio::awaitable<void> converse(hub &h, boost::asio::ip::tcp::socket socket, boost::asio::ssl::context *tls);

}  // namespace tenon::rest
