// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "checks_table.hpp"

#include <map>
#include <vector>

#include "tenon/conformance/verify.hpp"

namespace tenon::conformance {

std::string checks_table() {
  std::vector<std::string_view> categories;
  std::map<std::string_view, std::string> rows;
  for (const check_entry &c : all_checks()) {
    if (!rows.contains(c.category)) categories.push_back(c.category);
    std::string &text = rows[c.category];
    text += "| `" + std::string(c.id) + "` | " + c.kinds + (c.long_run ? "; `--long`" : "") + " | " +
            std::string(c.sentence) + " |\n";
  }
  std::string out;
  for (const std::string_view category : categories) {
    out += (out.empty() ? "### " : "\n### ") + std::string(category) +
           "\n\n| check | of | what holds |\n|---|---|---|\n" + rows[category];
  }
  return out;
}

}  // namespace tenon::conformance
