// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "shadow/growing_file.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace tenon::cli {

result<growing_file> growing_file::open(const std::filesystem::path &path) {
  std::ifstream from(path, std::ios::binary);
  if (!from) return refusal{path.string(), "a file that can be read", "none", "correct the name, or who may read it"};
  return growing_file(path, std::move(from));
}

bool growing_file::read_more(size_t most) {
  from_.clear();  // of the end that it was at
  const size_t before = bytes_.size();
  bytes_.resize(before + most);
  from_.read(bytes_.data() + before, static_cast<std::streamsize>(most));
  const auto got = static_cast<size_t>(from_.gcount());
  bytes_.resize(before + got);
  read_ += got;
  return got > 0;
}

void growing_file::take(size_t count) {
  taken_ += count;
  if (taken_ < bytes_.size() && taken_ < size_t{1} << 20) return;
  bytes_.erase(0, taken_);
  taken_ = 0;
}

uint64_t growing_file::waiting() const {
  std::error_code failed;
  const uint64_t size = std::filesystem::file_size(path_, failed);
  return failed || size < read_ ? bytes().size() : size - read_ + bytes().size();
}

}  // namespace tenon::cli
