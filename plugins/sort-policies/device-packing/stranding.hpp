// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is free on devices but of no use, because a node has too little of the rest beside them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "taking.hpp"
#include "tenon/sdk/sort_policy.hpp"

namespace device_packing_module {

// A map that is given replaces the default whole; one without entries is as none.
inline std::map<std::string, double> parts_expected(const tenon::sdk::config &settings) {
  const std::map<std::string, double> usual{{"vcore", 0.8}, {"memory", 0.8}};
  auto given = settings.numbers("resourceweights", usual);
  return given.empty() ? usual : given;
}

// Of a node: what it has free and in total beside its devices, and what their sizes sum up to.
struct surroundings {
  const tenon::sdk::amounts &free, &total;
  int64_t devices;
};

// What is `on_devices` beyond what the rest of the node can serve once the ask has its part of it.
inline double stranded(int64_t on_devices, const surroundings &node, const tenon::sdk::amounts &ask,
                       const tenon::sdk::type_weights &weights) {
  double largest = 0;
  for (uint32_t t = 0; t < weights.size(); ++t) {
    const double weight = weights.data()[t];
    if (weight <= 0 || node.total[t] <= 0) continue;
    const double rest = static_cast<double>(add_saturating(node.free[t], -ask[t]));
    const double served = rest * static_cast<double>(node.devices) / (weight * static_cast<double>(node.total[t]));
    largest = std::max(largest, static_cast<double>(on_devices) - served);
  }
  return largest;
}

}  // namespace device_packing_module
