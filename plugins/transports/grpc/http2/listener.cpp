// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "listener.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include "tenon/sdk/unavailable.hpp"

namespace tenon::grpc_transport {
namespace {

[[noreturn]] void refuse(const std::string &want, const std::string &have, const std::string &remedy) {
  throw sdk::unavailable("listen: want " + want + ", have " + have + "; " + remedy);
}

[[noreturn]] void refuse_tcp(const std::string &address, int error) {
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

descriptor stream_socket(int family) {
  return descriptor(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

void set_port(sockaddr_storage &of, uint16_t port) {
  (of.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6 &>(of).sin6_port
                            : reinterpret_cast<sockaddr_in &>(of).sin_port) = htons(port);
}

uint16_t port_of(int listening) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(listening, reinterpret_cast<sockaddr *>(&bound), &size);
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6 &>(bound).sin6_port
                                           : reinterpret_cast<sockaddr_in &>(bound).sin_port);
}

// 0, or the errno of what failed. Connections that are over do not keep a port; [::] is IPv4 as well.
int listen_at(const addrinfo &where, uint16_t port, std::vector<descriptor> &to) {
  descriptor made = stream_socket(where.ai_family);
  if (made.get() < 0) return errno;
  const int on = 1;
  const int off = 0;
  setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (where.ai_family == AF_INET6) setsockopt(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  sockaddr_storage at{};
  std::memcpy(&at, where.ai_addr, where.ai_addrlen);
  if (port != 0) set_port(at, port);
  if (bind(made.get(), reinterpret_cast<sockaddr *>(&at), where.ai_addrlen) != 0) return errno;
  if (listen(made.get(), SOMAXCONN) != 0) return errno;
  to.push_back(std::move(made));
  return 0;
}

std::string without_brackets(std::string host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

// Whom the kernel shows in place of all users that this process's user namespace does not have.
uid_t nobody_in_particular() {
  static const uid_t shown = [] {
    constexpr uid_t usual = 65534;
    uid_t out = usual;
    return std::ifstream("/proc/sys/kernel/overflowuid") >> out ? out : usual;
  }();
  return shown;
}

peer tcp_peer(const sockaddr_storage &from) {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  peer out;
  if (from.ss_family == AF_INET) {
    const auto &at = reinterpret_cast<const sockaddr_in &>(from);
    out.client = inet_ntop(AF_INET, &at.sin_addr, buffer.data(), buffer.size());
    out.address = out.client + ":" + std::to_string(ntohs(at.sin_port));
    return out;
  }
  auto at = reinterpret_cast<const sockaddr_in6 &>(from);
  out.address = "[" + std::string(inet_ntop(AF_INET6, &at.sin6_addr, buffer.data(), buffer.size())) +
                "]:" + std::to_string(ntohs(at.sin6_port));
  if (IN6_IS_ADDR_V4MAPPED(&at.sin6_addr)) {
    out.client = inet_ntop(AF_INET, &at.sin6_addr.s6_addr[12], buffer.data(), buffer.size());
    return out;
  }
  // Whoever has one address of IPv6 has the others of its network.
  std::memset(&at.sin6_addr.s6_addr[8], 0, 8);
  out.client = inet_ntop(AF_INET6, &at.sin6_addr, buffer.data(), buffer.size());
  return out;
}

}  // namespace

descriptor::~descriptor() {
  if (of_ >= 0) close(of_);
}

descriptor &descriptor::operator=(descriptor &&from) noexcept {
  std::swap(of_, from.of_);
  return *this;
}

int descriptor::release() { return std::exchange(of_, -1); }

listener listen_on_tcp(const std::string &address) {
  const size_t colon = address.rfind(':');
  const std::string host = without_brackets(address.substr(0, colon));
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
  listener out;
  int error = 0;
  uint16_t port = 0;  // the one that the first of them got
  for (const addrinfo *each = first; each != nullptr; each = each->ai_next) {
    const int problem = listen_at(*each, port, out.sockets);
    if (problem == 0) {
      port = port_of(out.sockets.back().get());
    } else if (error == 0 || error == EADDRNOTAVAIL || error == EAFNOSUPPORT) {
      error = problem;
    }
  }
  if (out.sockets.empty()) refuse_tcp(address, error);
  out.address = address.substr(0, colon + 1) + std::to_string(port);
  return out;
}

listener listen_on_unix(const std::string &path, unsigned mode) {
  const auto fail = [&] {
    refuse("to make the socket " + path, std::strerror(errno), "choose a folder where this process may write");
  };
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  std::memcpy(at.sun_path, path.data(), path.size());
  listener out;
  out.address = "unix:" + path;
  out.path = path;
  out.sockets.push_back(stream_socket(AF_UNIX));
  const int made = out.sockets.back().get();
  if (made < 0) fail();
  unlink(path.c_str());
  fchmod(made, mode);  // so that it is never open to more than that; the mask may take away of it
  if (bind(made, reinterpret_cast<const sockaddr *>(&at), sizeof at) != 0) fail();
  struct stat found {};
  if (chmod(path.c_str(), mode) != 0 || listen(made, SOMAXCONN) != 0 || stat(path.c_str(), &found) != 0) fail();
  out.file = found.st_ino;
  return out;
}

void listener::remove() const {
  struct stat found {};
  if (!path.empty() && stat(path.c_str(), &found) == 0 && found.st_ino == file) unlink(path.c_str());
}

peer peer_of(const listener &by, int connection) {
  if (by.path.empty()) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    if (getpeername(connection, reinterpret_cast<sockaddr *>(&from), &size) != 0) return {};
    return tcp_peer(from);
  }
  peer out;
  out.address = by.address;
  ucred who{};
  socklen_t size = sizeof who;
  const bool told = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
  if (told && who.uid != nobody_in_particular()) out.user = who.uid;
  out.client = out.user ? "user " + std::to_string(*out.user) : "unknown users";
  if (told) out.address += (out.user ? ", " + out.client : ", unknown user") + ", process " + std::to_string(who.pid);
  return out;
}

}  // namespace tenon::grpc_transport
