// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Orders nodes by a numeric attribute, smallest first; nodes that do not have it as a number come last.
#include <charconv>
#include <limits>

#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct least_attribute {
  static constexpr std::string_view name = "least-attribute";

  explicit least_attribute(const config &settings) : column_("node.attr:" + settings.text("attribute", "cost")) {}

  // The configuration decides what is read, so the columns are a function. Where they are known beforehand,
  // they are a member: static constexpr std::tuple columns{...};
  std::tuple<text_column> columns() const { return {text_column{column_}}; }

  double key(const auto &node) const {
    const auto [text] = node.values();
    double cost = std::numeric_limits<double>::quiet_NaN();  // sorts last
    if (text) std::from_chars(text->data(), text->data() + text->size(), cost);
    return cost;
  }

 private:
  std::string column_;
};

}  // namespace

TENON_MODULE(node_sort<least_attribute>)
