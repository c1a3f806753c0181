// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace tenon::cli {
namespace {

refusal failed(const std::string &path, const std::string &what) {
  return {path, "a file that can be written", what + ": " + std::strerror(errno),
          "name a file in a folder that exists and is yours, on a disk that has room"};
}

refusal is_there(const std::string &path) {
  return {path, "a file that is not there yet", "it is there", "name another one, or say --replace"};
}

bool write_through(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return ::fsync(file) == 0;
}

}  // namespace

std::optional<refusal> cannot_be_written(const std::string &path, bool replace) {
  struct stat is {};
  if (::lstat(path.c_str(), &is) == 0) {
    if (!replace) return is_there(path);
    errno = EISDIR;
    return S_ISDIR(is.st_mode) ? std::optional(failed(path, "cannot put it there")) : std::nullopt;
  }
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) return failed(path, "cannot open it");
  return std::nullopt;
}

std::optional<refusal> write_private_file(const std::string &path, std::string_view bytes, bool replace) {
  std::string beside = path + ".XXXXXX";
  const int file = ::mkstemp(beside.data());  // with mode 0600
  if (file < 0) return failed(path, "cannot open it");
  std::optional<refusal> out;
  const auto named = [&] {
    const std::string folder = std::filesystem::absolute(path).parent_path();
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return;
    (void)::fsync(opened);  // its name; not every file system has that
    (void)::close(opened);
  };
  if (!write_through(file, bytes)) out = failed(path, "writing failed");
  if (::close(file) != 0 && !out) out = failed(path, "writing failed");
  if (!out && replace && ::rename(beside.c_str(), path.c_str()) == 0) {
    named();
    return std::nullopt;
  }
  // A link is refused where something is there by now.
  if (!out && (replace || ::link(beside.c_str(), path.c_str()) != 0)) {
    if (!replace && errno == EEXIST) {
      out = is_there(path);
    } else {
      out = failed(path, "cannot put it there");
    }
  }
  (void)::unlink(beside.c_str());
  if (!out) named();
  return out;
}

}  // namespace tenon::cli
