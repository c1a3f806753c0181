// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a process of its own can serve.
#pragma once

#include <optional>
#include <string>

#include "tenon/host/deployment.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::host::isolation {

// Where a module lives: as its entry says, else in processes of its own, but for the project's own and for transports.
[[nodiscard]] isolation_mode lane_of(const module_manifest &manifest, const module_use *use, bool own);

// Refuses transports, and host services that do not cross. `use`: its entry, if it has one.
[[nodiscard]] std::optional<refusal> check_served(const module_manifest &manifest, const module_use *use,
                                                  const std::string &where);

// Refuses what is granted to a module that does not ask for it.
[[nodiscard]] std::optional<refusal> check_granted(const module_manifest &manifest, const granted_permissions &granted,
                                                   const std::string &where);

}  // namespace tenon::host::isolation
