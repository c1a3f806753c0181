// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Nodes by what an ask costs there: the node's price, for as much of the node as the ask takes. Asks with the tag
// `interruptible: true` go to spot nodes first, others go there last.
#include <charconv>
#include <limits>

#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct cost_aware {
  static constexpr std::string_view name = "cost-aware";

  explicit cost_aware(const config &settings)
      : price_("node.attr:" + settings.text("price", "price")), spot_("node.attr:" + settings.text("spot", "spot")) {}

  std::tuple<text_column, text_column, resources_column, resources_column, text_column> columns() const {
    return {text_column{price_}, text_column{spot_}, resources_column{"node.total"},
            resources_column{"ask.resources", scope::context}, text_column{"ask.tag:interruptible", scope::context}};
  }

  std::array<uint64_t, 2> score(const auto &node) const {
    const auto [price, spot, total, wanted, interruptible] = node.values();
    const bool suits = (spot == "true") == (interruptible == "true");
    // Of the type that the ask takes most of.
    return {suits ? 0U : 1U, ascending(number(price) * tenon_dominant_share(wanted, total, total))};
  }

  // Where there is no ask to score for: the cheapest node.
  std::array<uint64_t, 2> key(const auto &node) const { return {0, ascending(number(node.template get<0>()))}; }

 private:
  static double number(std::optional<std::string_view> text) {
    double value = std::numeric_limits<double>::quiet_NaN();  // sorts last
    if (text) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
  }

  std::string price_, spot_;
};

}  // namespace

TENON_MODULE(node_sort<cost_aware>)
