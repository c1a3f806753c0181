// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/private_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace tenon::host {
namespace {

std::filesystem::path from_environment(const char *variable) {
  // A privileged program does not let its caller choose where it writes.
  const char *value = ::secure_getenv(variable);
  if (value == nullptr || value[0] != '/') return {};
  return value;
}

bool mine_alone(const std::filesystem::path &directory) {
  struct stat about {};
  if (::lstat(directory.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) return false;
  return about.st_uid == ::geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::filesystem::path default_cache_directory() {
  if (auto cache = from_environment("XDG_CACHE_HOME"); !cache.empty()) return cache / "tenon";
  if (auto home = from_environment("HOME"); !home.empty()) return home / ".cache" / "tenon";
  return {};
}

std::filesystem::path private_directory(const std::filesystem::path &base, const char *name) {
  if (base.empty()) return {};
  std::error_code failed;
  std::filesystem::create_directories(base.parent_path(), failed);
  for (const auto &directory : {base, base / name})
    if (::mkdir(directory.c_str(), S_IRWXU) != 0 && !mine_alone(directory)) return {};
  return base / name;
}

}  // namespace tenon::host
