// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The conformance checks, which most runs of `tenon` do without: a library that is opened when they are asked for.
#pragma once

#include "tenon/conformance/library.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

// Found beside the kernel's library. It stays open.
[[nodiscard]] result<const conformance::library *> open_checks();

}  // namespace tenon::cli
