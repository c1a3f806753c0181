// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"

#include <algorithm>

namespace tenon::rest {

bool clients::connect(const std::string &address) {
  const std::lock_guard lock(mutex_);
  if (connections_ >= limits_.most_connections) return false;
  client &c = clients_[address];
  if (c.connections >= limits_.most_connections_of_client) return false;
  if (c.connections++ == 0 && c.filled == clock::time_point{}) {
    c.tokens = static_cast<double>(limits_.requests_a_second) * 2;
    c.filled = clock::now();
  }
  ++connections_;
  return true;
}

void clients::disconnect(const std::string &address) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(address);
  --connections_;
  if (found == clients_.end() || --found->second.connections != 0) return;
  // A client that comes and goes is remembered for a while, so that it cannot ask faster by connecting anew.
  if (clients_.size() <= 4096) return;
  for (auto at = clients_.begin(); at != clients_.end();) {
    const bool idle = at->second.connections == 0 && clock::now() - at->second.filled > std::chrono::seconds(10);
    at = idle ? clients_.erase(at) : std::next(at);
  }
}

bool clients::begin_stream(const std::string &address) {
  const std::lock_guard lock(mutex_);
  client &c = clients_[address];
  if (streams_ >= limits_.most_streams || c.streams >= limits_.most_streams_of_client) return false;
  ++c.streams;
  ++streams_;
  return true;
}

void clients::end_stream(const std::string &address) {
  const std::lock_guard lock(mutex_);
  --clients_[address].streams;
  --streams_;
}

bool clients::ask(const std::string &address, clock::time_point now) {
  if (limits_.requests_a_second == 0) return true;
  const std::lock_guard lock(mutex_);
  client &c = clients_[address];
  const double rate = static_cast<double>(limits_.requests_a_second);
  const double passed = std::chrono::duration<double>(now - c.filled).count();
  c.tokens = std::min(rate * 2, c.tokens + std::max(0.0, passed) * rate);
  c.filled = now;
  if (c.tokens < 1) return false;
  c.tokens -= 1;
  return true;
}

}  // namespace tenon::rest
