// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// docs/state-machines.md, made from the state tables.
#pragma once

#include <string>

namespace tenon {

[[nodiscard]] std::string state_machines_page();

}  // namespace tenon
