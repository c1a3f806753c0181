// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every row of shares.csv and node_score.csv, through the kernel's resources and the SDK's share.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <iostream>

#include "tables.hpp"
#include "tenon/kernel/resources.hpp"
#include "tenon/sdk/share.h"

namespace tenon::tables {
namespace {

namespace json = boost::json;

// Resources as a policy sees them. `r` outlives the result.
tenon_amounts seen(const resources &r) { return {r.data(), sizeof(int64_t), r.present()}; }

std::vector<double> shares(const resources &used, const resources &total) {
  std::vector<double> out(TENON_MAX_TYPES);
  out.resize(tenon_shares_descending(seen(used), seen(total), out.data()));
  return out;
}

int compare(const std::vector<double> &left, const std::vector<double> &right) {
  return tenon_shares_compare(left.data(), static_cast<uint32_t>(left.size()), right.data(),
                              static_cast<uint32_t>(right.size()));
}

// The comparison by keys must agree with the one by shares.
int compare_usage(const resources &left, const resources &right, const resources &total) {
  uint64_t left_keys[TENON_MAX_TYPES], right_keys[TENON_MAX_TYPES];
  tenon_shares_keys(seen(left), seen(total), left_keys, TENON_MAX_TYPES);
  tenon_shares_keys(seen(right), seen(total), right_keys, TENON_MAX_TYPES);
  const auto by_keys = std::lexicographical_compare_three_way(std::begin(left_keys), std::end(left_keys),
                                                              std::begin(right_keys), std::end(right_keys));
  const int by_shares = compare(shares(left, total), shares(right, total));
  EXPECT_EQ(std::is_lt(by_keys), by_shares < 0);
  EXPECT_EQ(std::is_gt(by_keys), by_shares > 0);
  return by_shares;
}

json::value used_capacity(const arguments &a) {
  return write_resources(used_percent(a.res_or_empty(0), a.res_or_empty(1)), a.types());
}

json::value usage_ratio(const arguments &a) {
  return compare_usage(a.res_or_empty(0), a.res_or_empty(1), a.res_or_empty(2));
}

resources restricted(const resources &r, const nullable &to) {
  resources out;
  for_each_type(r, [&](type_index t, int64_t amount) {
    if (!to || to->has(t)) out.set(t, amount);
  });
  return out;
}

json::value usage_ratio_of_types(const arguments &a) {
  const nullable types = a.res(3);
  return compare_usage(restricted(a.res_or_empty(0), types), restricted(a.res_or_empty(1), types), a.res_or_empty(2));
}

double fair_share(const arguments &a, size_t first) {
  const resources allocated = a.res_or_empty(first);
  const resources guaranteed = a.res_or_empty(first + 1);
  const resources fair_max = a.res_or_empty(first + 2);
  return tenon_dominant_share(seen(allocated), seen(guaranteed), seen(fair_max));
}

json::value fair_shares_compared(const arguments &a) {
  EXPECT_EQ(a.count(), 6U);
  const uint64_t left = tenon_double_key(fair_share(a, 0)), right = tenon_double_key(fair_share(a, 3));
  return left < right ? -1 : left > right;
}

json::value dominant_type(const arguments &a) {
  const resources used = a.res_or_empty(0), capacity = a.res_or_empty(1);
  const uint32_t type = tenon_dominant_type(seen(used), seen(capacity));
  if (type == TENON_NO_TYPE) return "";
  return json::string(std::string(a.types().name(type)));
}

json::value fairness_ratio(const arguments &a) {
  const resources left = a.res_or_empty(0), right = a.res_or_empty(1), total = a.res_or_empty(2);
  return tenon_fairness_ratio(seen(left), seen(right), seen(total));
}

json::value score_of_fit(const arguments &a) {
  // Where nothing is there at all, nothing fits, not even an ask for nothing.
  if (!a.res(0)) return __builtin_popcountll(a.res_or_empty(1).present());
  return fit_in_score(a.res_or_empty(1), a.res_or_empty(0));
}

json::value ascending_shares(const arguments &a) {
  std::vector<double> out = shares(a.res_or_empty(0), a.res_or_empty(1));
  std::reverse(out.begin(), out.end());
  return json::array(out.begin(), out.end());
}

json::value shares_compared(const arguments &a) {
  std::vector<double> sides[2];
  for (size_t i = 0; i < 2; ++i) {
    for (const json::value &share : a.at(i).as_array()) sides[i].push_back(read_number(share));
    std::reverse(sides[i].begin(), sides[i].end());
  }
  return compare(sides[0], sides[1]);
}

TEST(ShareTables, EveryRowOfShares) {
  run_table("shares.csv", {
                              {"CalculateAbsUsedCapacity", used_capacity},
                              {"CompUsageRatio", usage_ratio},
                              {"CompUsageRatioSeparately", fair_shares_compared},
                              {"CompUsageRatioSpecificTypes", usage_ratio_of_types},
                              {"DominantResourceType", dominant_type},
                              {"FairnessRatio", fairness_ratio},
                              {"FitInScore", score_of_fit},
                              {"GetShares", ascending_shares},
                              {"compareShares", shares_compared},
                              {"getFairShare", [](const arguments &a) -> json::value { return fair_share(a, 0); }},
                          });
}

std::vector<double> read_weights(const std::string &cell, resource_types &types) {
  std::vector<double> weights(max_types, 0.0);
  const json::value v = json::parse(cell.starts_with("(default") ? R"({"vcore": 1, "memory": 1})" : cell);
  for (const auto &[type, weight] : v.as_object()) {
    weights[types.intern(std::string_view(type.data(), type.size()))] = weight.to_number<double>();
  }
  return weights;
}

TEST(ShareTables, EveryRowOfNodeScores) {
  const auto rows = load("node_score.csv");
  EXPECT_FALSE(rows.empty());
  for (const row &r : rows) {
    SCOPED_TRACE(r.at(0) + " " + r.at(1) + " " + r.at(2) + " " + r.at(3));
    resource_types types(max_types);
    const std::vector<double> weights = read_weights(r.at(1), types);
    const resources total = read_resources(json::parse(r.at(2)), types).value();
    resources free = total;
    free -= read_resources(json::parse(r.at(3)), types).value();
    const double usage = tenon_node_usage(seen(free), seen(total), weights.data(), types.count());
    if (r.at(0) == "binpacking") {
      EXPECT_NEAR(tenon_score_binpacking(usage), std::stod(r.at(4)), 1e-9);
    } else if (r.at(0) == "fair" || r.at(0) == "(unset=fair)") {
      EXPECT_NEAR(tenon_score_fair(usage), std::stod(r.at(4)), 1e-9);
    } else {
      ADD_FAILURE() << "no node order is called " << r.at(0);
    }
  }
  std::cout << "node_score.csv: " << rows.size() << " rows\n";
}

TEST(Tables, QuotedCellsMayHoldCommasQuotesAndLineEnds) {
  const auto rows = parse_csv("a,b\r\n1,\"x, \"\"y\"\"\nz\"\r\n,2");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], (row{"1", "x, \"y\"\nz"}));
  EXPECT_EQ(rows[1], (row{"", "2"}));
}

}  // namespace
}  // namespace tenon::tables
