// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Nodes of racks that have the fewest allocations of the ask's application first, so that one rack that fails takes as
// few of them as can be; within a rack the emptiest node.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct rack_spread {
  static constexpr std::string_view name = "rack-spread";

  explicit rack_spread(const config &settings)
      : count_("app.count_by:" + settings.text("attribute", "rack")), weights_({{"vcore", 1}, {"memory", 1}}) {}

  std::tuple<number_column, resources_column, resources_column> columns() const {
    return {number_column{count_}, resources_column{"node.free"}, resources_column{"node.total"}};
  }

  void begin(const auto &nodes) { weights_.follow(nodes); }

  std::array<uint64_t, 2> score(const auto &node) const {
    const auto [of_this_application, free, total] = node.values();
    return {ascending(of_this_application), ascending(usage(free, total))};
  }

  // Where there is no ask to score for. As long as a score: keys of a policy have one length.
  std::array<uint64_t, 2> key(const auto &node) const {
    return {0, ascending(usage(node.template get<1>(), node.template get<2>()))};
  }

 private:
  double usage(const amounts &free, const amounts &total) const {
    return tenon_score_fair(tenon_node_usage(free, total, weights_.data(), weights_.size()));
  }

  std::string count_;
  type_weights weights_;
};

}  // namespace

TENON_MODULE(node_sort<rack_spread>)
