// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rows of the tables of facts (tests/data/tables), with their resource arguments read.
#pragma once

#include <string>
#include <vector>

#include "tenon/sdk/config.hpp"
#include "tenon/testing/csv.hpp"
#include "tenon/testing/policy_table.hpp"

namespace tenon::testing {

// `[{"vcore": 1}, null, {}]`: one entry an argument; null, not set, reads as no type defined.
inline std::vector<policy_table::amounts> resource_arguments(const std::string &json) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : json.substr(1, json.size() - 2)) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  std::vector<policy_table::amounts> out;
  for (const std::string &part : parts) {
    const sdk::config wrapped("{\"is\":" + part + "}");
    policy_table::amounts &amounts = out.emplace_back();
    if (wrapped.is_null("is")) continue;
    for (const auto &[type, amount] : wrapped.numbers("is", {})) amounts[type] = static_cast<int64_t>(amount);
  }
  return out;
}

struct fact {
  std::vector<policy_table::amounts> arguments;
  double expected;
  std::string text;  // for messages
};

// The rows of tables/shares.csv about `function`.
inline std::vector<fact> share_facts(const std::string &function) {
  std::vector<fact> out;
  for (const auto &row : read_csv(TENON_TEST_DATA_DIR "/tables/shares.csv")) {
    if (row[0] == function) out.push_back({resource_arguments(row[1]), std::stod(row[2]), row[1]});
  }
  return out;
}

}  // namespace tenon::testing
