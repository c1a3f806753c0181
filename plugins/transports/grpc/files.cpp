// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "tenon/sdk/config.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr size_t most = size_t{4} << 20;

// 0, or the errno of what went wrong.
int read(const std::string &path, std::string &to) {
  // Does not wait for whoever would write into a pipe.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return errno;
  std::array<char, 16'384> buffer{};
  ssize_t got = 0;
  do {
    to.append(buffer.data(), static_cast<size_t>(got));
    got = ::read(descriptor, buffer.data(), buffer.size());
  } while (got > 0 && to.size() <= most);
  const int error = got < 0 ? errno : got > 0 ? EFBIG : 0;
  close(descriptor);
  return error;
}

}  // namespace

std::string file_text(const std::string &path, std::string_view key) {
  std::string text;
  if (const int error = read(path, text); error != 0) {
    const std::string place = path.starts_with('/') ? "" : " (from the working directory)";
    throw sdk::invalid_config(std::string(key) + ": want a file that can be read, have " + path + place + ": " +
                              std::strerror(error) + "; give its path and the right to read it");
  }
  if (text.empty()) {
    throw sdk::invalid_config(std::string(key) + ": want a file with a text, have " + path +
                              ", which is empty; write it, or name another");
  }
  return text;
}

std::string token_in(const std::string &path) {
  if (path.empty()) return "";
  std::string token = file_text(path, "admin_token_file");
  token.erase(token.find_last_not_of(" \t\r\n") + 1);
  if (token.size() < 16) {
    throw sdk::invalid_config("admin_token_file: want a token of 16 bytes or more, have " +
                              std::to_string(token.size()) + " in " + path + "; write a long random one");
  }
  return token;
}

}  // namespace tenon::grpc_transport
