// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whether a build of a module passes the conformance checks, before it takes over.
#pragma once

#include <optional>

#include "tenon/host/module_host.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// Runs `tenon plugin verify` in a process of its own, so that nothing of the checks happens in the daemon's, and waits
// for it. Why it does not pass, if so. From any thread.
[[nodiscard]] std::optional<refusal> verified_build(const host::build_beside &build);

}  // namespace tenon::cli
