// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/try_modules.hpp"

#include "tenon/host/module_host.hpp"

namespace tenon::cli {

std::optional<refusal> refusal_of_modules(host::module_host &modules) {
  for (const auto &listed : {modules.event_sinks(), modules.transports()}) {
    if (!listed) return listed.why();
    for (const host::listed_module &one : *listed)
      if (auto made = one.make(); !made) return made.why();
  }
  return std::nullopt;
}

}  // namespace tenon::cli
