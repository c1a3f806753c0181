// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a deployment's modules say of their configuration, for the commands that only check.
#pragma once

#include <optional>

#include "tenon/kernel/refusal.hpp"

namespace tenon::host {
class module_host;
}

namespace tenon::cli {

// Makes an instance of each event sink and transport, starts none, and ends it. The first refusal.
[[nodiscard]] std::optional<refusal> refusal_of_modules(host::module_host &modules);

}  // namespace tenon::cli
