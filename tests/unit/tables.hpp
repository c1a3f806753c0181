// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Tables of numeric facts: CSV rows whose cells hold JSON, and the values that they stand for.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/resources.hpp"

namespace tenon::tables {

using row = std::vector<std::string>;

// The rows of a CSV text without its header: cells may be quoted, a quote in a quoted cell is doubled.
[[nodiscard]] std::vector<row> parse_csv(std::string_view text);

// The rows of a table of tests/data/tables.
[[nodiscard]] std::vector<row> load(const std::string &name);

// Resources of a row: JSON null is none, which some operations tell from an empty set.
using nullable = std::optional<resources>;
[[nodiscard]] nullable read_resources(const boost::json::value &v, resource_types &types);
[[nodiscard]] boost::json::value write_resources(const nullable &r, const resource_types &types);

// A number, or "+Inf" and "-Inf".
[[nodiscard]] double read_number(const boost::json::value &v);

// Equal, numbers within 1e-9 of each other, relative where they are large.
[[nodiscard]] bool same(const boost::json::value &expected, const boost::json::value &actual);

// The arguments of one row, by place.
class arguments {
 public:
  arguments(const boost::json::value &list, resource_types &types) : list_(list.as_array()), types_(types) {}

  [[nodiscard]] size_t count() const { return list_.size(); }
  [[nodiscard]] const boost::json::value &at(size_t i) const { return list_.at(i); }
  [[nodiscard]] nullable res(size_t i) const { return read_resources(list_.at(i), types_); }
  [[nodiscard]] resources res_or_empty(size_t i) const { return res(i).value_or(resources{}); }
  [[nodiscard]] double number(size_t i) const { return read_number(list_.at(i)); }
  [[nodiscard]] int64_t integer(size_t i) const { return list_.at(i).to_number<int64_t>(); }
  [[nodiscard]] resource_types &types() const { return types_; }

 private:
  const boost::json::array &list_;
  resource_types &types_;
};

// What a table calls an operation, and how the product computes it.
using operations = std::map<std::string, std::function<boost::json::value(const arguments &)>, std::less<>>;

// Runs every row (operation, arguments, expected, ...) of a table. An operation that is not known fails, and
// so does a known one that no row uses. Skips, with the reason, where the table is absent.
void run_table(const std::string &name, const operations &known);

}  // namespace tenon::tables
