// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "library/sealed_libraries.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "base/descriptor.hpp"
#include "base/write_all.hpp"

namespace tenon::host {
namespace {

constexpr int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

struct registry {
  std::mutex mutex;
  std::map<std::string, descriptor, std::less<>> by_digest;
};
// Never destroyed: modules run until the process ends.
registry &all() {
  static registry &one = *new registry;
  return one;
}

std::filesystem::path path_of(const descriptor &file) { return "/proc/self/fd/" + std::to_string(file.get()); }

bool may_run(const descriptor &file) {
  void *page = ::mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.get(), 0);
  return page != MAP_FAILED && ::munmap(page, 1) == 0;
}

descriptor sealed(const library_file &file) {
  descriptor out(::memfd_create("tenon module", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!out || !write_all(out, file.bytes) || ::fcntl(out.get(), F_ADD_SEALS, seals) != 0 || !may_run(out) ||
      ::access(path_of(out).c_str(), R_OK) != 0)
    out.reset();
  return out;
}

}  // namespace

std::filesystem::path sealed_copy(const library_file &file) {
  registry &known = all();
  const std::scoped_lock lock(known.mutex);
  const auto found = known.by_digest.find(file.digest);
  if (found != known.by_digest.end()) return path_of(found->second);
  descriptor made = sealed(file);
  if (!made) return {};
  return path_of(known.by_digest.emplace(file.digest, std::move(made)).first->second);
}

sealed_library find_sealed(const std::filesystem::path &path) {
  registry &known = all();
  const std::scoped_lock lock(known.mutex);
  for (const auto &[digest, file] : known.by_digest)
    if (path_of(file) == path) return {file.get(), digest};
  return {};
}

}  // namespace tenon::host
