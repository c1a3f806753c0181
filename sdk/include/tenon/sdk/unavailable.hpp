// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a policy throws where something outside cannot be had now.
#pragma once

#include <stdexcept>

namespace tenon::sdk {

// Something outside cannot be asked or had now, for this reason; later it may.
struct unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tenon::sdk
