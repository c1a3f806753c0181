// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queues by their share of now and of the past, the smallest first: who used much lately waits for those who did not,
// and is forgiven half of it after each half-life.
#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct decayed_share {
  static constexpr std::string_view name = "decayed-share";

  explicit decayed_share(const config &settings)
      : past_("queue.decayed:" + std::to_string(settings.whole("half_life_s", 86'400, 1, 31'536'000))),
        weight_(settings.number("past", 0.5)) {}

  std::tuple<resources_column, resources_column, resources_column, resources_column> columns() const {
    return {resources_column{past_}, resources_column{"queue.allocated"}, resources_column{"queue.guaranteed"},
            resources_column{"queue.fair_max"}};
  }

  double key(const auto &queue) const {
    const auto [past, allocated, guaranteed, fair_max] = queue.values();
    return weight_ * tenon_dominant_share(past, guaranteed, fair_max) +
           (1 - weight_) * tenon_dominant_share(allocated, guaranteed, fair_max);
  }

 private:
  std::string past_;
  double weight_;
};

}  // namespace

TENON_MODULE(queue_sort<decayed_share>)
