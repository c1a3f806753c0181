// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the deployment says of a shadow.
#pragma once

#include <filesystem>
#include <optional>

#include "tenon/config/problems.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/host/deployment.hpp"

namespace tenon::host {

[[nodiscard]] const config::object_spec &world_shadow_spec();
[[nodiscard]] std::optional<world_shadow_use> read_world_shadow(const config::yaml_node &root,
                                                                const std::filesystem::path &deployment_file,
                                                                config::problems &report);

}  // namespace tenon::host
