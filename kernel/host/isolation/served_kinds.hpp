// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a process of its own can serve.
#pragma once

#include <optional>
#include <string>

#include "tenon/host/module_manifest.hpp"

namespace tenon::host::isolation {

// Refuses modules of kinds that are called back, wait or have threads, and host services that do not cross.
[[nodiscard]] std::optional<refusal> check_served(const module_manifest &manifest, const std::string &where);

}  // namespace tenon::host::isolation
