// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Sums of amounts, which may not become larger than any sum may be.
#include <algorithm>

#include "partition.hpp"

namespace tenon::naive {

// With what is pending an int64_t is to hold it.
wide_map partition::reported_together() const {
  wide_map out = allocated_together(), with_pending = asked_and_used();
  for (const auto &[type, amount] : with_pending) {
    const auto allocated = out.find(type);
    if (amount - (allocated == out.end() ? 0 : allocated->second) == largest_sum) out[type] += 1;
  }
  return out;
}

wide_map partition::allocated_together() const {
  wide_map out;
  for (const auto &a : applications) {
    for (const allocation &x : a->allocations) add(out, x.resources);
  }
  return out;
}

wide_map partition::asked_and_used() const {
  wide_map out = allocated_together();
  for (const auto &a : applications) {
    for (const ask &k : a->asks) add(out, k.resources, k.pending());
  }
  return out;
}

wide_map partition::on_node(const std::string &node_id, bool with_occupied) const {
  wide_map out;
  if (with_occupied && nodes.contains(node_id)) add(out, nodes.at(node_id).occupied);
  for (const auto &[key, x] : foreign) {
    if (x.node == node_id) add(out, x.resources);
  }
  for (const auto &a : applications) {
    for (const allocation &x : a->allocations) {
      if (x.node == node_id) add(out, x.resources);
      const bool comes = x.under_way && x.under_way->node == node_id && x.node != node_id;
      if (comes) add(out, x.under_way->real.resources);
    }
  }
  return out;
}

bool partition::unplace(const application &a, ask &k) {
  const int32_t before = k.pending();
  wide_map counted = asked_and_used();
  --k.placed;
  k.told.clear();
  if (k.pending() == before) return false;
  if (problem_of_sum(counted, k.resources).empty()) return true;
  --k.max_allocations;
  decision &d = emit(decision_kind::ask_released, a.id, k.key);
  d.queue = a.queue;
  d.placeholder = k.placeholder;
  d.text = messages::too_much_asked();
  return false;
}

// What is pending or proposed of the key goes; what is allocated, or replaces a placeholder, stays and is placed.
std::string partition::problem_of_sums(const tenon::put_ask &c, std::string_view application_id) {
  wide_map counted = asked_and_used();
  int64_t stays = 0;
  if (const application *a = find_application(application_id)) {
    for (const ask &k : a->asks) {
      if (k.key == c.key) add(counted, k.resources, -int64_t{k.pending()});
    }
    for (const allocation &x : a->allocations) {
      const bool of_key = x.key == c.key;
      if (of_key && x.is_proposed()) add(counted, x.resources, -1);
      if (of_key && !x.is_proposed()) ++stays;
      if (x.under_way && x.under_way->number == 0 && x.under_way->real.key == c.key) ++stays;
    }
  }
  return problem_of_sum(counted, to_map(c.resources), std::max<int64_t>(0, c.max_allocations - stays));
}

std::string partition::problem_of_capacity(const std::string &node_id, const amount_map &capacity) const {
  wide_map others;
  for (const auto &[id, n] : nodes) {
    if (id != node_id) add(others, n.capacity);
  }
  return problem_of_sum(others, capacity);
}

}  // namespace tenon::naive
