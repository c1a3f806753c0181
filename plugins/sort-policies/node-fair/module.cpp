// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Least used node first: a node's key is the weighted mean of the shares in use.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct node_fair {
  static constexpr std::string_view name = "fair";
  static constexpr std::tuple columns{resources_column{"node.free"}, resources_column{"node.total"}};

  explicit node_fair(const config &settings) : weights_(configured(settings)) {}

  void begin(const auto &nodes) { weights_.follow(nodes); }

  double key(const auto &node) const {
    const auto [free, total] = node.values();
    return tenon_score_fair(tenon_node_usage(free, total, weights_.data(), weights_.size()));
  }

 private:
  // A map that is given replaces the default whole; one without entries is as none.
  static std::map<std::string, double> configured(const config &settings) {
    const std::map<std::string, double> usual{{"vcore", 1}, {"memory", 1}};
    auto given = settings.numbers("resourceweights", usual);
    return given.empty() ? usual : given;
  }

  type_weights weights_;
};

}  // namespace

TENON_MODULE(node_sort<node_fair>)
