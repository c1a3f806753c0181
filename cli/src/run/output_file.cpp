// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <iterator>

namespace tenon::cli {
namespace {

constexpr size_t flush_bytes = size_t{1} << 20;

std::string system_text() { return errno != 0 ? std::strerror(errno) : "the system gives no reason"; }

}  // namespace

result<output_file> output_file::create(const std::filesystem::path &path) {
  errno = 0;
  output_file file;
  file.path_ = path;
  file.out_.open(path, std::ios::binary | std::ios::trunc);
  if (!file.out_) {
    return refusal{path.string(), "a file that can be written", "cannot open it: " + system_text(),
                   "name a file in a folder that exists and is yours"};
  }
  return file;
}

void output_file::append(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() < flush_bytes) return;
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

std::optional<refusal> output_file::close() {
  errno = 0;
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  out_.close();
  if (out_) return std::nullopt;
  return refusal{path_.string(), "a file that takes what is written", "writing failed: " + system_text(),
                 "see that the disk has room"};
}

result<std::string> read_file(const std::filesystem::path &path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  if (in && !std::filesystem::is_directory(path)) {
    bytes.assign(std::istreambuf_iterator<char>(in), {});
    if (!in.bad()) return bytes;
  }
  if (errno == 0) errno = std::filesystem::is_directory(path) ? EISDIR : EIO;
  return refusal{path.string(), "a file that can be read", "cannot read it: " + system_text(), "check the path"};
}

std::optional<refusal> write_file(const std::filesystem::path &path, std::string_view bytes) {
  auto file = output_file::create(path);
  if (!file) return file.why();
  file->append(bytes);
  return file->close();
}

}  // namespace tenon::cli
