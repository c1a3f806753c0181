// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Keys of `shadow` in a module's entry of the deployment file.
#pragma once

#include "tenon/config/shape.hpp"
#include "tenon/host/deployment.hpp"

namespace tenon::host {

[[nodiscard]] const config::object_spec &shadow_spec();

// But for its id and its configuration, which are read as everywhere.
void read_shadow(const config::yaml_node &given, call_shadow_use &to, config::problems &report);

}  // namespace tenon::host
