// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Keys of a module's entry in the deployment that say where it lives.
#pragma once

#include <span>
#include <string_view>

#include "tenon/config/problems.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/host/deployment.hpp"

namespace tenon::host {

// In the order of isolation_mode.
[[nodiscard]] std::span<const std::string_view> isolation_words();
[[nodiscard]] const config::object_spec &process_spec();

[[nodiscard]] const config::object_spec &permissions_spec();

void read_isolation(const config::yaml_node &entry, module_use &to, const std::filesystem::path &deployment_file,
                    config::problems &report);

}  // namespace tenon::host
