// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A queues.yaml as the interface shows it: YAML with the field's keys, or JSON with its names.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::rest {

using pairs = std::vector<std::pair<std::string, std::string>>;

[[nodiscard]] boost::json::object configuration_json(std::string_view yaml, std::string_view checksum,
                                                     const pairs &extra);
[[nodiscard]] std::string configuration_yaml(std::string_view yaml, std::string_view checksum, const pairs &extra);

// The placement rules of one partition, the hidden last one with them.
[[nodiscard]] boost::json::array placement_rules_json(std::string_view yaml, std::string_view partition);

}  // namespace tenon::rest
