// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <set>

namespace tenon::tables {
namespace json = boost::json;

std::vector<row> parse_csv(std::string_view text) {
  std::vector<row> rows(1);
  std::string cell;
  bool quoted = false;
  const auto end_cell = [&] { rows.back().push_back(std::exchange(cell, {})); };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      end_cell();
    } else if (c == '\n') {
      end_cell();
      rows.emplace_back();
    } else if (c != '\r') {
      cell += c;
    }
  }
  if (!cell.empty() || !rows.back().empty()) {
    end_cell();
  } else {
    rows.pop_back();
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

std::vector<row> load(const std::string &name) {
  std::ifstream file(std::string(TENON_TEST_DATA_DIR) + "/tables/" + name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_csv(text);
}

nullable read_resources(const json::value &v, resource_types &types) {
  if (v.is_null()) return std::nullopt;
  resources out;
  for (const auto &[type, amount] : v.as_object()) {
    out.set(types.intern(std::string_view(type.data(), type.size())), amount.to_number<int64_t>());
  }
  return out;
}

json::value write_resources(const nullable &r, const resource_types &types) {
  if (!r) return nullptr;
  json::object out;
  for_each_type(*r, [&](type_index t, int64_t amount) {
    const std::string_view type = types.name(t);
    out[json::string_view(type.data(), type.size())] = amount;
  });
  return out;
}

double read_number(const json::value &v) {
  if (v.is_string()) {
    EXPECT_TRUE(v.as_string() == "+Inf" || v.as_string() == "-Inf") << v;
    return v.as_string() == "+Inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  }
  return v.to_number<double>();
}

bool same(const json::value &expected, const json::value &actual) {
  if (expected.is_int64() && actual.is_int64()) return expected.as_int64() == actual.as_int64();
  if (expected.is_number() && actual.is_number()) {
    const auto a = expected.to_number<double>();
    const auto b = actual.to_number<double>();
    return a == b || (std::isfinite(a - b) && std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}));
  }
  if (expected.is_string() && actual.is_double()) return read_number(expected) == actual.as_double();
  if (expected.is_array() && actual.is_array()) {
    const auto &a = expected.as_array();
    const auto &b = actual.as_array();
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
  }
  return expected == actual;
}

void run_table(const std::string &name, const operations &known) {
  const auto rows = load(name);
  std::set<std::string, std::less<>> used;
  for (size_t i = 0; i < rows.size(); ++i) {
    const row &r = rows[i];
    SCOPED_TRACE(name + " row " + std::to_string(i + 2));
    ASSERT_GE(r.size(), 3U);
    const auto operation = known.find(r[0]);
    if (operation == known.end()) {
      ADD_FAILURE() << "no operation is called " << r[0];
      continue;
    }
    used.insert(r[0]);
    resource_types types(max_types);
    const json::value list = json::parse(r[1]);
    const json::value actual = operation->second(arguments(list, types));
    EXPECT_TRUE(same(json::parse(r[2]), actual)) << r[0] << r[1] << " wants " << r[2] << ", gives " << actual;
  }
  for (const auto &[operation, ignored] : known) EXPECT_TRUE(used.contains(operation)) << "no row of " << operation;
  EXPECT_FALSE(rows.empty());
  std::cout << name << ": " << rows.size() << " rows\n";
}

}  // namespace tenon::tables
