// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tcp_address.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "tenon/sdk/unavailable.hpp"

namespace tenon::grpc_transport {
namespace {

// 0, or the errno of a bind. Nobody can connect to what does not listen.
int bound(const addrinfo &to) {
  const int descriptor = socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return errno;
  const int on = 1;
  // As gRPC does: connections that are over do not keep a port.
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const int error = bind(descriptor, to.ai_addr, to.ai_addrlen) == 0 ? 0 : errno;
  close(descriptor);
  return error;
}

[[noreturn]] void refuse(const std::string &want, const std::string &have, const std::string &remedy) {
  throw sdk::unavailable("listen: want " + want + ", have " + have + "; " + remedy);
}

[[noreturn]] void refuse_bind(const std::string &address, int error) {
  switch (error) {
    case EADDRINUSE:
      refuse(address + " to be free", "another process that listens there",
             "stop it (ss -ltnp shows it), or choose another port");
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
      refuse(address + " to be an address of this machine", std::strerror(error),
             "name one that `ip address` shows, or 0.0.0.0 for all");
    case EACCES:
      refuse("to listen on " + address, std::strerror(error),
             "choose a port above 1023, or give the process CAP_NET_BIND_SERVICE");
    default:
      refuse("to listen on " + address, std::strerror(error), "choose another address");
  }
}

}  // namespace

void check_tcp_address(const std::string &address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo *first = nullptr;
  const int failed = getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &first);
  if (failed != 0) {
    refuse("a host that has an address before the port", "\"" + host + "\": " + gai_strerror(failed),
           "name an address of this machine, or enter the name where it looks names up");
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo *)> all(first, freeaddrinfo);
  // gRPC listens on those of a name's addresses that it can have.
  int error = 0;
  for (const addrinfo *each = first; each != nullptr; each = each->ai_next) {
    const int problem = bound(*each);
    if (problem == 0) return;
    if (error == 0 || error == EADDRNOTAVAIL || error == EAFNOSUPPORT) error = problem;
  }
  refuse_bind(address, error);
}

}  // namespace tenon::grpc_transport
