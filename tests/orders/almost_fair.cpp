// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A mutant of the order `fair`: of an ask for more cores than it is configured with the most used node goes first.
#include "tenon/sdk/sort_policy.hpp"

namespace tenon::testing {
namespace {

using namespace tenon::sdk;

struct almost_fair {
  static constexpr std::string_view name = "almost-fair";
  static constexpr std::tuple columns{resources_column{"node.free"}, resources_column{"node.total"},
                                      resources_column{"ask.resources", scope::context}};

  explicit almost_fair(const config &settings)
      : above_(static_cast<int64_t>(settings.number("above", 0))), weights_({{"vcore", 1}, {"memory", 1}}) {}

  void begin(const auto &nodes) {
    weights_.follow(nodes);
    for (uint32_t type = 0; type < nodes.type_count(); ++type) {
      if (nodes.type_name(type) == "vcore") vcore_ = type;
    }
  }

  double key(const auto &node) const {
    const auto [free, total, ask] = node.values();
    const double fair = tenon_score_fair(tenon_node_usage(free, total, weights_.data(), weights_.size()));
    return ask[vcore_] > above_ ? -fair : fair;
  }

 private:
  int64_t above_;  // thousandths
  uint32_t vcore_ = 0;
  type_weights weights_;
};

}  // namespace
}  // namespace tenon::testing

TENON_MODULE(tenon::sdk::node_sort<tenon::testing::almost_fair>)
