// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/checks_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <string>

namespace tenon::cli {
namespace {

std::filesystem::path folder_of_the_kernel() {
  link_map *kernel = nullptr;
  void *open = ::dlopen("libtenon_kernel.so", RTLD_LAZY | RTLD_NOLOAD);
  if (open == nullptr || ::dlinfo(open, RTLD_DI_LINKMAP, &kernel) != 0) return {};
  return std::filesystem::path(kernel->l_name).parent_path();
}

}  // namespace

result<const conformance::library *> open_checks() {
  const std::filesystem::path file = folder_of_the_kernel() / "libtenon_conformance.so";
  void *open = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *entry = open == nullptr ? nullptr : ::dlsym(open, "tenon_conformance_open");
  const char *fix =
      "install the package tenon anew; in a source tree: cmake --build --preset release --target tenon_conformance";
  if (entry == nullptr) return refusal{file.string(), "the library of the checks", ::dlerror(), fix};
  const auto *checks = reinterpret_cast<decltype(&tenon_conformance_open)>(entry)(conformance::layout());
  if (checks == nullptr) return refusal{file.string(), "one of this program's build", "one of another build", fix};
  return checks;
}

}  // namespace tenon::cli
