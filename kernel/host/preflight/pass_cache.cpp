// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "preflight/pass_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "base/descriptor.hpp"
#include "base/private_directory.hpp"
#include "library/sealed_libraries.hpp"
#include "tenon/abi/base.h"
#include "tenon/config/sha256.hpp"

namespace tenon::host {
namespace {

std::string identity(const std::filesystem::path &file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return "absent";
  return std::to_string(about.st_dev) + "." + std::to_string(about.st_ino) + "." + std::to_string(about.st_size) + "." +
         std::to_string(about.st_mtim.tv_sec) + "." + std::to_string(about.st_mtim.tv_nsec);
}

}  // namespace

pass_cache::pass_cache(const std::filesystem::path &directory, const std::filesystem::path &program)
    : directory_(private_directory(directory, "preflight")),
      build_(identity(program) + " " + std::to_string(TENON_ABI_EPOCH) + " " + std::to_string(TENON_DRAFT_REV)) {}

std::string pass_cache::key(const preflight_subject &subject) const {
  std::vector<std::string> companions;
  for (const auto &companion : subject.companions) {
    const std::string sealed = find_sealed(companion).digest;
    companions.push_back(sealed.empty() ? companion.string() + " " + identity(companion) : sealed);
  }
  std::sort(companions.begin(), companions.end());
  std::string all = build_ + "\n" + subject.digest;
  for (const std::string &companion : companions) all += "\n" + companion;
  return config::sha256_hex(all);
}

bool pass_cache::passed(const std::string &key) const {
  struct stat about {};
  return !directory_.empty() && ::lstat((directory_ / key).c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

void pass_cache::remember(const std::string &key) const {
  // A pass that cannot be remembered is tested again.
  if (!directory_.empty())
    descriptor(::open((directory_ / key).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

}  // namespace tenon::host
