// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Who is at the other end of a connection, as far as the connection itself says.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::grpc_transport {

struct peer {
  std::string address;  // "127.0.0.1:40112", "[::1]:40112", "unix:/run/tenon.sock, user 1000, process 4711"
  // What limits on one client count: its address without the port, of IPv6 the network of 64 bits; its user,
  // all users of a Unix socket together whom the kernel does not tell.
  std::string client;
  std::optional<uid_t> user;       // of a Unix socket, where the kernel tells it
  bool encrypted = false;          // by TLS
  std::vector<std::string> names;  // of its certificate, which was verified
  // Bytes of the configurations that RMs brought with them, by RM; the registry guards them.
  mutable std::map<std::string, size_t> configurations;

  // Whether both are one client, as far as connections say: of one user, or one connection. `names` are looked at when
  // somebody speaks for them.
  [[nodiscard]] bool is_same(const peer &other) const { return this == &other || (user && user == other.user); }
  [[nodiscard]] bool has_name(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  // For people: "a", "b", or no name.
  [[nodiscard]] std::string all_names() const {
    std::string out;
    for (const std::string &name : names) out += (out.empty() ? "\"" : ", \"") + name + "\"";
    return out.empty() ? "no name" : out;
  }
};

}  // namespace tenon::grpc_transport
