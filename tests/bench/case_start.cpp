// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {

figures run_start(const settings &s) {
  constexpr int64_t memory = int64_t{10} << 20;
  const std::vector<named_amount> need{{"vcore", 1000}, {"memory", memory}};
  const int64_t per_node = (s.asks + s.nodes - 1) / s.nodes;
  const std::vector<named_amount> capacity{{"vcore", per_node * 1000}, {"memory", per_node * memory}};
  const auto policies = make_policies(s);
  const ask_keys keys(s.asks, "told-000");
  const ask_keys nodes(s.nodes, "node-000");
  cluster c(*policies, s);
  figures out;
  const stopwatch watch;
  counted told("told");
  c.add_applications();
  std::vector<existing_allocation> on_node;
  for (int64_t i = 0; i < s.nodes; ++i) {
    on_node.clear();
    for (int64_t at = i * per_node; at < std::min(s.asks, (i + 1) * per_node); ++at) {
      existing_allocation &one = on_node.emplace_back();
      one.ask.application = c.application_name(static_cast<size_t>(at) % c.applications());
      one.ask.key = keys[at];
      one.ask.resources = need;
      one.ask.create_time_ms = one.bind_time_ms = 1;
    }
    add_node told_again;
    told_again.partition = cluster::partition_name;
    told_again.node = nodes[i];
    told_again.capacity = capacity;
    told_again.existing = on_node;
    c.scheduler().apply(1, told_again);
    c.deliver();
  }
  told.done(out, static_cast<double>(s.asks));
  out["start_ms"] = watch.seconds() * 1e3;
  out["allocated"] = static_cast<double>(c.allocated());
  return out;
}

}  // namespace tenon::bench
