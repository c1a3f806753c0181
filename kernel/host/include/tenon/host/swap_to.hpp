// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which build of a module is to decide from now on.
#pragma once

#include <cstdint>

namespace tenon::host {

enum class swap_to : uint8_t {
  installed,  // the one that lies on the module path now
  before,     // the one from which the one in force took over
  again,      // the one in force, whose policies are bound anew
};

}  // namespace tenon::host
