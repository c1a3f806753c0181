// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/library_file.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <system_error>

#include "descriptor.hpp"

namespace tenon::host {
namespace {

constexpr uint64_t max_library_bytes = uint64_t{256} << 20;

refusal unreadable(const std::filesystem::path &path, std::string have, std::string fix) {
  return {path.string(), "a readable shared library", std::move(have), std::move(fix)};
}

}  // namespace

std::string sha256_hex(std::span<const std::byte> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), sum.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  static constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(size_t{length} * 2);
  for (unsigned int i = 0; i < length; ++i) {
    hex += digits[sum[i] >> 4];
    hex += digits[sum[i] & 15];
  }
  return hex;
}

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
  out.digest = sha256_hex(out.bytes);
  return out;
}

}  // namespace tenon::host
