// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "listening.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "check.hpp"

namespace tenon::conformance {

raw_connection::raw_connection(raw_connection &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

raw_connection::~raw_connection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void raw_connection::send(std::string_view bytes) const {
  const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  static_cast<void>(sent);  // the other side may have closed it, or read no more
}

bool raw_connection::is_closed_within(std::chrono::milliseconds time) const {
  const auto until = std::chrono::steady_clock::now() + time;
  std::array<char, 4096> thrown_away{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd wait{descriptor_, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) == 0) return false;
    const ssize_t got = ::recv(descriptor_, thrown_away.data(), thrown_away.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return true;
  }
}

std::vector<listening_socket> listening_socket::all() {
  std::vector<listening_socket> out;
  DIR *dir = ::opendir("/proc/self/fd");
  if (dir == nullptr) return out;
  while (const dirent *entry = ::readdir(dir)) {
    const int descriptor = std::atoi(entry->d_name);
    int waits = 0;
    socklen_t size = sizeof waits;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &waits, &size) != 0 || waits == 0) continue;
    sockaddr_storage name{};
    size = sizeof name;
    if (::getsockname(descriptor, reinterpret_cast<sockaddr *>(&name), &size) != 0) continue;
    listening_socket one;
    one.family_ = name.ss_family;
    socklen_t type_size = sizeof one.type_;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &one.type_, &type_size) != 0) continue;
    one.name_.assign(reinterpret_cast<const char *>(&name), size);
    out.push_back(std::move(one));
  }
  ::closedir(dir);
  return out;
}

std::string listening_socket::address() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (family_ == AF_INET) {
    sockaddr_in of{};
    std::memcpy(&of, name_.data(), sizeof of);
    ::inet_ntop(AF_INET, &of.sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(ntohs(of.sin_port));
  }
  if (family_ == AF_INET6) {
    sockaddr_in6 of{};
    std::memcpy(&of, name_.data(), sizeof of);
    ::inet_ntop(AF_INET6, &of.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(of.sin6_port));
  }
  return "unix:" + std::string(name_.c_str() + offsetof(sockaddr_un, sun_path));
}

raw_connection listening_socket::connect() const {
  const int descriptor = ::socket(family_, type_ | SOCK_CLOEXEC, 0);
  raw_connection out(descriptor);
  if (descriptor < 0 || ::connect(descriptor, reinterpret_cast<const sockaddr *>(name_.data()),
                                  static_cast<socklen_t>(name_.size())) != 0)
    probe::fail("nobody takes a connection to " + address() + ": " + std::strerror(errno));
  return out;
}

}  // namespace tenon::conformance
