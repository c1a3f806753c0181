// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What to do where the dynamic linker does not open a module's library.
#pragma once

#include <string>
#include <string_view>

namespace tenon::host {

// `said` is what dlerror() says:
//   "libtenon_proto.so.0: cannot open shared object file: No such file or directory"
//   -> "install the package tenon-proto, which has libtenon_proto.so.0"
[[nodiscard]] inline std::string linker_remedy(std::string_view said) {
  constexpr std::string_view missing = ": cannot open shared object file: No such file or directory";
  const std::string_view name = said.substr(0, said.find(':'));
  if (!said.ends_with(missing) || name.find('/') != std::string_view::npos) return "build it against this system";
  const std::string library(name);
  if (name.starts_with("libtenon_proto.so")) return "install the package tenon-proto, which has " + library;
  return "install " + library + ", which it is linked with: its package, or what came with the module";
}

}  // namespace tenon::host
