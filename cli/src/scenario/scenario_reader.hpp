// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads scenario files, strictly: an unknown key or a value of a wrong type is refused at its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "scenario/document.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/config/shape.hpp"
#include "tenon/config/yaml.hpp"

namespace tenon::cli {

// Nothing on refusal; the reasons are in `report`. `file` names the scenario where it has no name of its own.
[[nodiscard]] std::optional<scenario> read_scenario(const std::string &file, std::string_view text,
                                                    config::problems &report);

// The shape of a scenario file, for checks and documentation.
[[nodiscard]] const config::object_spec &scenario_shape();

// Parts of the reader, each after check_shape has passed.
[[nodiscard]] expected_block read_expectations(const config::yaml_node &node, config::problems &report);
// A map of names to integers; anything else is refused and left out.
[[nodiscard]] amount_map read_amounts(const config::yaml_node &node, config::problems &report);
[[nodiscard]] text_map read_texts(const config::yaml_node &node, config::problems &report);
[[nodiscard]] text_list read_text_list(const config::yaml_node &node, config::problems &report);

}  // namespace tenon::cli
