// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "serve/control_socket.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace tenon::cli {
namespace {

refusal failed(const std::filesystem::path &path, const std::string &what) {
  return {path.string(), "a control socket that can be made", what + ": " + std::strerror(errno),
          "name another with --control, or control.socket in the deployment"};
}

refusal taken(const std::filesystem::path &path) {
  return {path.string(), "a control socket of no other daemon", "a daemon that runs has it",
          "stop that one, or name another with --control, or control.socket in the deployment"};
}

bool somebody_listens(const sockaddr_un &at) {
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return false;
  const int status = ::connect(probe, reinterpret_cast<const sockaddr *>(&at), sizeof at);
  const bool listens = status == 0 || errno == EAGAIN;
  ::close(probe);
  return listens;
}

// A child that a module forks closes the lock and the socket first of all. It would keep them when the daemon is gone,
// and the next daemon would find them taken.
std::array<std::atomic<int>, 8> of_daemon{-1, -1, -1, -1, -1, -1, -1, -1};

void replace(int descriptor, int by) {
  for (std::atomic<int> &each : of_daemon)
    if (int is = descriptor; each.compare_exchange_strong(is, by)) return;
}

void keep_from_children(int descriptor) {
  static const int once = ::pthread_atfork(nullptr, nullptr, [] {
    for (std::atomic<int> &each : of_daemon)
      if (each >= 0) ::close(each);
  });
  static_cast<void>(once);
  replace(-1, descriptor);
}

void close_own(int descriptor) {
  if (descriptor < 0) return;
  replace(descriptor, -1);
  ::close(descriptor);
}

// A descriptor, or -1 with errno.
int listen_at(const sockaddr_un &at) {
  const int out = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (out < 0) return -1;
  // Before it has a name, so that nobody else ever sees it open.
  if (::fchmod(out, 0600) == 0 && ::bind(out, reinterpret_cast<const sockaddr *>(&at), sizeof at) == 0 &&
      ::chmod(at.sun_path, 0600) == 0 && ::listen(out, SOMAXCONN) == 0)
    return out;
  const int why = errno;
  ::close(out);
  errno = why;
  return -1;
}

}  // namespace

std::optional<refusal> control_socket::refusal_of(const std::filesystem::path &path) {
  namespace fs = std::filesystem;
  constexpr size_t longest = sizeof(sockaddr_un::sun_path) - 1;
  const std::string name = path.string();
  if (name.size() > longest)
    return refusal{name, "a path of at most " + std::to_string(longest) + " bytes",
                   std::to_string(name.size()) + " bytes",
                   "name a shorter one with --control, or control.socket in the deployment"};
  std::error_code ignored;
  const fs::file_status there = fs::symlink_status(path, ignored);
  if (fs::exists(there) && !fs::is_socket(there))
    return refusal{name, "a socket, or nothing", "a file of another kind", "move it away, or name another"};
  // Folders that are missing are made; what is above them has to be one.
  for (fs::path above = path.parent_path(); above.has_relative_path(); above = above.parent_path()) {
    const fs::file_status found = fs::status(above, ignored);
    if (fs::is_directory(found)) break;
    if (fs::exists(found))
      return refusal{name, "a control socket in a folder", above.string() + " is a file",
                     "name another with --control, or control.socket in the deployment"};
  }
  return std::nullopt;
}

result<control_socket> control_socket::claim(const std::filesystem::path &path) {
  if (auto why = refusal_of(path)) return *std::move(why);
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  const std::string name = path.string();
  std::memcpy(at.sun_path, name.c_str(), name.size());
  std::error_code ignored;
  if (path.has_parent_path() && std::filesystem::create_directories(path.parent_path(), ignored))
    std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all, ignored);
  // Of two daemons that start at the same time one gets it; the system gives it back however a daemon ends.
  const int lock = ::open((name + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0) return failed(path, "cannot open " + name + ".lock");
  keep_from_children(lock);
  control_socket out(path, lock, -1);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    out.path_.clear();
    return taken(path);
  }
  struct stat about {};
  if (::lstat(name.c_str(), &about) == 0) {
    auto why = refusal_of(path);
    if (!why && somebody_listens(at)) why = taken(path);
    if (why) {
      out.path_.clear();
      return *std::move(why);
    }
    ::unlink(name.c_str());
  }
  out.descriptor_ = listen_at(at);
  keep_from_children(out.descriptor_);
  if (out.descriptor_ >= 0) return out;
  out.path_.clear();
  return failed(path, "cannot listen");
}

control_socket::control_socket(std::filesystem::path path, int lock, int descriptor)
    : path_(std::move(path)), lock_(lock), descriptor_(descriptor) {}

control_socket::control_socket(control_socket &&other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      descriptor_(std::exchange(other.descriptor_, -1)) {
  other.path_.clear();
}

control_socket::~control_socket() {
  if (!path_.empty()) ::unlink(path_.c_str());
  close_own(descriptor_);
  close_own(lock_);
}

}  // namespace tenon::cli
