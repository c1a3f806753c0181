// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {

// The cluster is full of placeholders when the real asks come, and the RM confirms what it is asked to release.
figures run_gang(const settings &s) {
  const std::vector<named_amount> need{{"vcore", 1000}, {"memory", int64_t{10} << 20}};
  const int64_t per_node = (s.asks + s.nodes - 1) / s.nodes;
  const auto policies = make_policies(s);
  cluster c(*policies, s);
  c.add_nodes(s.nodes, {{"vcore", per_node * 1000}, {"memory", per_node * (int64_t{10} << 20)}});
  c.add_applications();
  const auto application = [&](int64_t i) { return static_cast<uint32_t>(static_cast<size_t>(i) % c.applications()); };
  const auto placeholder = [](int64_t i) { return "placeholder-" + std::to_string(i); };
  figures out;
  {
    counted placeholders("placeholders");
    const stopwatch watch;
    for (int64_t i = 0; i < s.asks; ++i) c.ask_in_gang(application(i), placeholder(i), need, true);
    c.schedule();
    placeholders.done(out, static_cast<double>(s.asks));
    out["placeholders_per_second"] = static_cast<double>(c.allocated()) / watch.seconds();
  }
  const uint64_t before = c.allocated();
  std::vector<uint32_t> latencies;
  latencies.reserve(static_cast<size_t>(s.asks) + 1);
  counted replacements("replacements");
  const stopwatch watch;
  for (int64_t i = 0; i < s.asks; ++i) c.ask_in_gang(application(i), "real-" + std::to_string(i), need, false);
  c.schedule_singly(latencies);
  for (int64_t i = 0; i < s.asks; ++i) {
    c.give_back(application(i), placeholder(i), termination::placeholder_replaced);
    c.deliver();
  }
  replacements.done(out, static_cast<double>(s.asks));
  out["replacements_per_second"] = static_cast<double>(c.allocated() - before) / watch.seconds();
  out["latency_p50_ns"] = percentile(latencies, 50);
  out["latency_p99_ns"] = percentile(latencies, 99);
  out["latency_p99_9_ns"] = percentile(latencies, 99.9);
  return out;
}

}  // namespace tenon::bench
