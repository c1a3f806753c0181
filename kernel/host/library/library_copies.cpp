// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "library/library_copies.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/private_directory.hpp"
#include "base/write_all.hpp"

namespace tenon::host {
namespace {

namespace fs = std::filesystem;
constexpr auto kept = std::chrono::hours(24 * 30);

bool may_map_code(const fs::path &directory) {
  struct statvfs about {};
  return ::statvfs(directory.c_str(), &about) == 0 && (about.f_flag & ST_NOEXEC) == 0;
}

// Others may write the same copy at the same time: each writes its own file, and the last to rename wins.
bool write_copy(const library_file &file, const fs::path &copy) {
  static std::atomic<unsigned> serial{0};
  const fs::path draft = copy.string() + "." + std::to_string(::getpid()) + "." + std::to_string(serial++);
  {
    const descriptor out(::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0500));
    if (!out) return false;
    if (write_all(out, file.bytes) && ::rename(draft.c_str(), copy.c_str()) == 0) return true;
  }
  ::unlink(draft.c_str());
  return false;
}

bool holds(const fs::path &copy, const library_file &file) {
  const auto have = read_library(copy);
  return have && have->digest == file.digest;
}

void remove_stale(const fs::path &copies) {
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(copies, failed)) {
    const auto used = entry.last_write_time(failed);
    if (!failed && fs::file_time_type::clock::now() - used > kept) fs::remove_all(entry.path(), failed);
  }
}

}  // namespace

fs::path private_copy(const library_file &file, const fs::path &cache_directory) {
  const fs::path copies = private_directory(cache_directory, "modules");
  if (copies.empty() || !may_map_code(copies)) return {};
  const fs::path folder = private_directory(copies, file.digest.c_str());
  if (folder.empty()) return {};
  ::utimensat(AT_FDCWD, folder.c_str(), nullptr, 0);  // used now: not stale
  const fs::path copy = folder / file.path.filename();
  std::error_code failed;
  if (fs::exists(copy, failed) && holds(copy, file)) return copy;
  remove_stale(copies);
  return write_copy(file, copy) && holds(copy, file) ? copy : fs::path{};
}

}  // namespace tenon::host
