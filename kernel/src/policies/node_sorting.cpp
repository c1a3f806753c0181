// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "policies/node_sorting.hpp"

namespace tenon::internal {

void node_sorting::start(node_table &nodes) {
  order = std::make_unique<node_order>(nodes, *policy);
  scored.clear();
}

}  // namespace tenon::internal
