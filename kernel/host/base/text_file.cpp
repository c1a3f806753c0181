// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/host/text_file.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace tenon::host {

result<std::string> read_text_file(const std::filesystem::path &path) {
  constexpr uintmax_t limit = uintmax_t{4} << 20;
  const auto refuse = [&](std::string have) {
    return refusal{path.string(), "a readable text file", std::move(have), "correct the name or the file's access"};
  };
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) return refuse("no such file");
  if (std::filesystem::is_directory(status)) return refuse("a directory");
  if (!std::filesystem::is_regular_file(status)) return refuse("not a regular file");
  const uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed) return refuse(failed.message());
  if (size > limit) return refuse("a file larger than 4 MiB");
  std::ifstream in(path, std::ios::binary);
  if (!in) return refuse(std::generic_category().message(errno));
  std::string text(static_cast<size_t>(size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  return text;
}

}  // namespace tenon::host
