// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The resource types of a partition: those that something names.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::naive {

std::set<std::string> partition::types_in_use() const {
  std::set<std::string> out;
  const auto add_positive = [&](const amount_map &from) {
    for (const auto &[type, amount] : from) {
      if (amount > 0) out.insert(type);
    }
  };
  const auto add_all = [&](const amount_map &from) {
    for (const auto &[type, amount] : from) out.insert(type);
  };
  for (const auto &[id, n] : nodes) {
    add_positive(n.capacity);
    add_positive(n.occupied);
    for (const auto &[type, by] : divisions_in(n.attributes)) out.insert(type);
  }
  for (const auto &[key, x] : foreign) add_positive(x.resources);
  for (const auto *list : {&applications, &ended}) {
    for (const auto &a : *list) {
      if (list == &applications) add_positive(a->placeholder_ask);
      for (const ask &k : a->asks) {
        if (k.pending() > 0 || live_allocations(*a, k.key) > 0) add_positive(k.resources);
      }
      for (const allocation &x : a->allocations) add_positive(x.resources);
    }
  }
  for (const auto *counted : {&shapes.coming, &shapes.counts}) {
    for (const auto &[shape, count] : *counted) add_positive(shape.first);
  }
  for (const auto &[path, q] : queues) {
    add_all(q.guaranteed);
    add_all(q.max);
    add_all(q.child_template.guaranteed);
    add_all(q.child_template.max);
    for (const limit_config &limit : q.limits) add_all(limit.max_resources);
  }
  return out;
}

void partition::forget_type(const std::string &type) {
  forgotten.insert(type);
  for (const auto *list : {&applications, &ended}) {
    for (const auto &a : *list) {
      a->most_allocated.erase(type);
      for (auto &[of, amounts] : a->amount_seconds) amounts.erase(type);
      if (list == &ended) a->placeholder_ask.erase(type);
    }
  }
}

bool partition::bring(const std::string &type) {
  const auto known = std::find(types.begin(), types.end(), type);
  if (known != types.end()) {
    forgotten.erase(type);
  } else if (!forgotten.empty()) {
    const auto first =
        std::find_if(types.begin(), types.end(), [&](const std::string &one) { return forgotten.contains(one); });
    forgotten.erase(*first);
    *first = type;
  } else if (types.size() < shared.options.max_resource_types) {
    types.push_back(type);
  } else {
    const std::set<std::string> used = types_in_use();
    for (const std::string &one : types) {
      if (!used.contains(one) && !brought.contains(one)) forget_type(one);
    }
    return !forgotten.empty() && bring(type);
  }
  brought.insert(type);
  return true;
}

std::string partition::intern(const std::vector<std::string> &names) {
  for (const std::string &type : names) {
    if (!bring(type)) return messages::too_many_resource_types(type, shared.options.max_resource_types);
  }
  return {};
}

std::vector<std::pair<std::string, int64_t>> partition::amounts_in(const partition_config &c) {
  std::vector<std::pair<std::string, int64_t>> out;
  const auto take = [&](const amount_map &from) { out.insert(out.end(), from.begin(), from.end()); };
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
