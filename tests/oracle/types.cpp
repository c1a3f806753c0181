// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The resource types of a partition, in the order in which they came.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::naive {

std::string partition::intern(const std::vector<std::string> &names) {
  std::vector<std::string> grown = types;
  for (const std::string &type : names) {
    if (std::find(grown.begin(), grown.end(), type) != grown.end()) continue;
    if (grown.size() >= shared.options.max_resource_types) {
      return messages::too_many_resource_types(type, shared.options.max_resource_types);
    }
    grown.push_back(type);
  }
  types = grown;
  return {};
}

std::vector<std::string> partition::types_of(const partition_config &c) {
  std::vector<std::string> out;
  const auto take = [&](const amount_map &from) {
    for (const auto &[type, amount] : from) out.push_back(type);
  };
  const auto visit = [&](const auto &self, const queue_config &q) -> void {
    take(q.guaranteed);
    take(q.max);
    take(q.child_template.guaranteed);
    take(q.child_template.max);
    for (const limit_config &limit : q.limits) take(limit.max_resources);
    for (const queue_config &child : q.queues) self(self, child);
  };
  visit(visit, c.root);
  return out;
}

}  // namespace tenon::naive
