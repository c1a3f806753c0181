// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/trace_file.hpp"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

namespace tenon::cli {
namespace {

struct closer {
  void operator()(gzFile file) const { ::gzclose_r(file); }
};
using open_file = std::unique_ptr<gzFile_s, closer>;

constexpr size_t piece = size_t{1} << 20;

refusal unreadable(const std::filesystem::path &path, const std::string &why, const std::string &remedy) {
  return {path.string(), "a file that can be read, as text or compressed by gzip", why, remedy};
}

}  // namespace

result<std::string> read_trace_file(const std::filesystem::path &path, uint64_t most_bytes) {
  errno = 0;
  const open_file file(::gzopen(path.c_str(), "rb"));
  if (file == nullptr)
    return unreadable(path, std::string("cannot read it: ") + std::strerror(errno), "check the path");
  std::string text;
  std::vector<char> bytes(piece);
  for (;;) {
    errno = 0;
    const int got = ::gzread(file.get(), bytes.data(), static_cast<unsigned>(bytes.size()));
    if (got > 0) text.append(bytes.data(), static_cast<size_t>(got));
    if (text.size() > most_bytes) {
      return unreadable(path, "it holds more than " + std::to_string(most_bytes) + " bytes",
                        "play a part of the trace");
    }
    int problem = Z_OK;
    const char *why = ::gzerror(file.get(), &problem);
    if (problem == Z_ERRNO)
      return unreadable(path, std::string("cannot read it: ") + std::strerror(errno), "check the path");
    if (problem != Z_OK) {
      return unreadable(path, "compressed data that is damaged or cut: " + std::string(why), "fetch it again");
    }
    if (got <= 0) return text;
  }
}

}  // namespace tenon::cli
