// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "forwarder.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tenon::testing {
namespace {

sockaddr_un address_of(const std::string &path) {
  sockaddr_un out{};
  out.sun_family = AF_UNIX;
  if (path.size() >= sizeof out.sun_path) throw std::runtime_error(path + ": longer than a socket's path may be");
  std::memcpy(out.sun_path, path.data(), path.size());
  return out;
}

void expect(bool held, const std::string &what) {
  if (!held) throw std::runtime_error(what + ": " + std::strerror(errno));
}

// Whether there was something, and all of it went on.
bool pass_on(int from, int to) {
  std::array<char, 65'536> bytes{};
  const ssize_t got = read(from, bytes.data(), bytes.size());
  return got > 0 && write(to, bytes.data(), static_cast<size_t>(got)) == got;
}

}  // namespace

forwarder::forwarder(std::string at, std::string onward) : at_(std::move(at)), onward_(std::move(onward)) {
  unlink(at_.c_str());
  const sockaddr_un address = address_of(at_);
  listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  expect(bind(listening_, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0, at_);
  expect(listen(listening_, 1) == 0 && pipe(wake_.data()) == 0, at_);
  thread_ = std::thread([this] { run(); });
}

forwarder::~forwarder() {
  fall_silent();
  for (const int each : {listening_, wake_[0], wake_[1], ends_[0], ends_[1]}) {
    if (each >= 0) close(each);
  }
  unlink(at_.c_str());
}

void forwarder::fall_silent() {
  if (!thread_.joinable()) return;
  expect(write(wake_[1], "", 1) == 1, at_);
  thread_.join();
}

void forwarder::run() {
  std::array<pollfd, 2> first{{{listening_, POLLIN, 0}, {wake_[0], POLLIN, 0}}};
  poll(first.data(), first.size(), -1);
  if (first[1].revents != 0) return;
  ends_[0] = accept(listening_, nullptr, nullptr);
  ends_[1] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(onward_);
  if (connect(ends_[1], reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) return;
  for (;;) {
    std::array<pollfd, 3> all{{{ends_[0], POLLIN, 0}, {ends_[1], POLLIN, 0}, {wake_[0], POLLIN, 0}}};
    poll(all.data(), all.size(), -1);
    if (all[2].revents != 0) return;
    const size_t from = all[0].revents != 0 ? 0 : 1;
    if (!pass_on(ends_[from], ends_[1 - from])) return;
  }
}

}  // namespace tenon::testing
