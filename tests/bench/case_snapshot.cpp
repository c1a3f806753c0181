// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"

namespace tenon::bench {

figures run_snapshot(const settings &s) {
  const std::vector<named_amount> need{{"vcore", 1000}, {"memory", int64_t{10} << 20}};
  const int64_t per_node = (s.asks + s.nodes - 1) / s.nodes;
  const auto policies = make_policies(s);
  cluster c(*policies, s);
  c.add_nodes(s.nodes, {{"vcore", per_node * 1000}, {"memory", per_node * (int64_t{10} << 20)}});
  c.add_applications();
  c.ask(ask_keys(s.asks, "ask-0000"), need);
  c.schedule();
  figures out;
  const auto take = [&](const char *figure, snapshot_part parts) {
    const stopwatch time;
    const kernel_snapshot taken = c.scheduler().snapshot(parts);
    out[figure] = time.seconds() * 1e3;
  };
  using part = snapshot_part;
  take("ms_queues", part::queues);
  take("ms_users", part::users | part::groups);
  take("ms_nodes", part::nodes);
  take("ms_applications", part::applications);
  take("ms_nodes_with_allocations", part::nodes | part::contents);
  take("ms_applications_with_allocations", part::applications | part::asks | part::allocations);
  take("ms_all", part::all);
  return out;
}

}  // namespace tenon::bench
