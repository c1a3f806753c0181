// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "unix_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tenon/sdk/config.hpp"
#include "tenon/sdk/unavailable.hpp"

namespace tenon::grpc_transport {
namespace {

// 0, or the errno of a connection that is not waited for: whoever listens may be too busy to take it.
int connection_to(const std::string &path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return errno;
  const int error = connect(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0 ? 0 : errno;
  close(descriptor);
  return error;
}

std::string folder_of(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// The socket is made there, and removed.
void check_folder(const std::string &path, const std::string &folder) {
  struct stat found {};
  int error = stat(folder.c_str(), &found) == 0 ? 0 : errno;
  if (error == 0 && !S_ISDIR(found.st_mode)) error = ENOTDIR;
  if (error == 0) return;
  throw sdk::invalid_config("listen: want a folder for the socket " + path + ", have " + folder + ": " +
                            std::strerror(error) + "; make it, or choose another path");
}

void check_rights(const std::string &path, const std::string &folder) {
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return;
  throw sdk::unavailable("listen: want to make the socket " + path + ", have " + folder + ": " + std::strerror(errno) +
                         "; choose a folder where this process may write");
}

// Whether there is a socket.
bool check_file(const std::string &path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return false;
  if (S_ISSOCK(found.st_mode)) return true;
  throw sdk::invalid_config("listen: want a socket or nothing at " + path + ", have a file; choose another path");
}

}  // namespace

void check_socket_path(const std::string &path) {
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    throw sdk::invalid_config("listen: want a path of fewer than " + std::to_string(sizeof(sockaddr_un::sun_path)) +
                              " bytes, have " + std::to_string(path.size()) + "; choose a shorter one");
  }
  const std::string folder = folder_of(path);
  // What starts the daemon makes its folder below /run at that time.
  struct stat found {};
  if (!folder.starts_with("/run/") || stat(folder.c_str(), &found) == 0) check_folder(path, folder);
  check_file(path);
}

void check_socket(const std::string &path) {
  check_socket_path(path);
  const std::string folder = folder_of(path);
  check_folder(path, folder);
  check_rights(path, folder);
  if (!check_file(path)) return;
  // Refused alone says that nobody listens: everything else may be a process that lives.
  const int error = connection_to(path);
  if (error == ECONNREFUSED || error == ENOENT) return;
  if (error == 0 || error == EAGAIN || error == EINPROGRESS || error == EINTR) {
    throw sdk::unavailable("listen: want " + path +
                           " for this scheduler, have another process that listens there; stop it, or choose another "
                           "path");
  }
  throw sdk::unavailable("listen: want " + path +
                         " for this scheduler, have a socket that does not say whether it is " +
                         "used: " + std::strerror(error) + "; remove it, or choose another path");
}

}  // namespace tenon::grpc_transport
