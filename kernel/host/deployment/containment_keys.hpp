// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the deployment says of modules in the scheduler's process that do not behave.
#pragma once

#include "tenon/config/problems.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/host/deployment.hpp"

namespace tenon::host {

[[nodiscard]] const config::object_spec &containment_spec();
[[nodiscard]] containment_limits read_containment(const config::yaml_node &root,
                                                  const std::filesystem::path &deployment_file,
                                                  config::problems &report);

}  // namespace tenon::host
