// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/library_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/descriptor.hpp"
#include "tenon/config/sha256.hpp"

namespace tenon::host {
namespace {

constexpr uint64_t max_library_bytes = uint64_t{256} << 20;

refusal unreadable(const std::filesystem::path &path, std::string have, std::string fix) {
  return {path.string(), "a readable shared library", std::move(have), std::move(fix)};
}

}  // namespace

result<library_file> read_library(const std::filesystem::path &path) {
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    const int error = errno;
    return unreadable(path, std::generic_category().message(error),
                      error == ENOENT ? "put the library beside its manifest, or correct the manifest's `library`"
                                      : "let the user who runs Tenon read the file");
  }
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return unreadable(path, std::generic_category().message(errno), "");
  if (S_ISDIR(about.st_mode)) return unreadable(path, "a directory", "name the library file in the manifest");
  if (!S_ISREG(about.st_mode)) return unreadable(path, "not a regular file", "name the library file in the manifest");
  if (about.st_size <= 0) return unreadable(path, "an empty file", "build or copy the library again");
  const auto size = static_cast<uint64_t>(about.st_size);
  if (size > max_library_bytes)
    return unreadable(path, std::to_string(size) + " bytes, more than the limit of 256 MiB", "strip the library");

  library_file out{path, std::vector<std::byte>(size), {}};
  for (size_t done = 0; done < size;) {
    const ssize_t got = ::read(file.get(), out.bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, std::generic_category().message(errno), "");
    if (got == 0) return unreadable(path, "a file that shrank while it was read", "try again when it is written");
    done += static_cast<size_t>(got);
  }
  out.digest = config::sha256_hex({reinterpret_cast<const char *>(out.bytes.data()), out.bytes.size()});
  return out;
}

}  // namespace tenon::host
