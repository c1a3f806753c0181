// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The list of checks in docs/conformance.md.
#pragma once

#include <string>

namespace tenon::conformance {

std::string checks_table();

}  // namespace tenon::conformance
