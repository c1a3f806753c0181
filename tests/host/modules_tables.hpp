// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tables of docs/modules.md.
#pragma once

#include <string>

namespace tenon::host {

[[nodiscard]] std::string modules_tables();

}  // namespace tenon::host
