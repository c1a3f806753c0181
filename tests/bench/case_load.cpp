// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {

figures run_load(const settings &s) {
  const std::vector<named_amount> need{{"vcore", 1000}, {"memory", int64_t{10} << 20}};
  const int64_t per_node = (s.asks + s.nodes - 1) / s.nodes;
  const auto policies = make_policies(s);
  cluster c(*policies, s);
  const ask_keys keys(s.asks, "ask-0000");
  figures out;
  const double empty = heap_bytes();
  counted nodes_counted("nodes");
  const stopwatch nodes;
  c.add_nodes(s.nodes, {{"vcore", per_node * 1000}, {"memory", per_node * (int64_t{10} << 20)}});
  out["nodes_per_second"] = static_cast<double>(s.nodes) / nodes.seconds();
  nodes_counted.done(out, static_cast<double>(s.nodes));
  const double with_nodes = heap_bytes();
  c.add_applications();
  const double with_applications = heap_bytes();
  counted asks_counted("asks");
  const stopwatch asks;
  c.ask(keys, need);
  out["asks_per_second"] = static_cast<double>(s.asks) / asks.seconds();
  asks_counted.done(out, static_cast<double>(s.asks));
  const double with_asks = heap_bytes();
  out["bytes_per_node"] = (with_nodes - empty) / static_cast<double>(s.nodes);
  out["bytes_per_ask"] = (with_asks - with_applications) / static_cast<double>(s.asks);
  out["registered_bytes"] = with_asks - empty;
  counted allocations("allocations");
  c.schedule();
  allocations.done(out, static_cast<double>(c.allocated()));
  out["bytes_per_allocation"] = (heap_bytes() - with_asks) / static_cast<double>(c.allocated());
  return out;
}

}  // namespace tenon::bench
