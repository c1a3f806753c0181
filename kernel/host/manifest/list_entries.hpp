// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Entries of a list of maps. The field's format lets entries be empty; ours do not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/problems.hpp"
#include "tenon/config/yaml.hpp"

namespace tenon::host {

// The maps in the list of `key`, in order; none where it is absent. Empty entries are refused.
[[nodiscard]] inline std::vector<const config::yaml_node *> list_entries(const config::yaml_node &map,
                                                                         std::string_view key,
                                                                         config::problems &report) {
  std::vector<const config::yaml_node *> out;
  const config::yaml_node *list = map.find(key);
  if (list == nullptr) return out;
  for (const config::yaml_node &item : list->items) {
    if (item.what == config::yaml_node::kind::map)
      out.push_back(&item);
    else
      report.refuse(item.at, "an empty entry in " + std::string(key), "a map", "fill it in or remove it");
  }
  return out;
}

}  // namespace tenon::host
