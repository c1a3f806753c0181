// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Values of expectations: what a scenario wants, what the scheduler has, and the rule that compares them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tenon/kernel/queue_config.hpp"

namespace tenon::cli {

using text_map = std::map<std::string, std::string>;
using text_list = std::vector<std::string>;

// How the wanted value is written and when it holds. Each rule but `amounts` needs the alternative of `value`
// that it names, in both the wanted and the present value.
enum class value_rule : uint8_t {
  flag,      // bool: equal
  number,    // int64_t: equal
  word,      // std::string: equal
  part,      // std::string: a substring
  amounts,   // amount_map: listed types, absent ones 0; {}: every type 0; null (monostate): not set at all
  counts,    // amount_map: listed names, absent ones 0
  tallies,   // amount_map: as counts, named "task group.count", ".replaced", ".timedout"
  texts,     // text_map: listed names, each equal
  places,    // text_map: ask key -> node; a base key holds when all its live allocations are on that node
  parts,     // text_map: listed names, each a substring of one of the present texts (one a line)
  reported,  // text_map: listed names, each equal to one of the present texts (one a line)
  includes,  // text_list: every wanted text is present
  exactly,   // text_list: the same texts, in any order
  in_order,  // text_list: the same texts in the same order
  key_set,   // int64_t: so many ask keys; or text_list: exactly these, as base keys unless one has a "~" suffix
};

using value = std::variant<std::monostate, bool, int64_t, std::string, amount_map, text_map, text_list>;

struct mismatch {
  std::string below;  // path below the value, ".memory", or empty
  std::string want;
  std::string have;
};

// Every way in which `have` is not what `want` says; none when the expectation holds.
[[nodiscard]] std::vector<mismatch> compare(value_rule rule, const value &want, const value &have);

// For messages: "{memory: 5, vcore: 10}", "[a, b]", "not set".
[[nodiscard]] std::string show(const value &v);

// The key that a scenario gave: "ask" for "ask~003" (an ask with a count), any other key as it is.
[[nodiscard]] std::string_view base_key(std::string_view key);

}  // namespace tenon::cli
