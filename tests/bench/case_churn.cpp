// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {

figures run_churn(const settings &s) {
  const std::vector<named_amount> need{{"vcore", 1000}, {"memory", int64_t{10} << 20}};
  const auto policies = make_policies(s);
  cluster c(*policies, s);
  const int64_t per_node = s.asks / s.nodes + 1;
  c.add_nodes(s.nodes, {{"vcore", per_node * 1000}, {"memory", per_node * (int64_t{10} << 20)}});
  c.add_applications();
  const auto application = [&](int64_t i) { return static_cast<uint32_t>(static_cast<size_t>(i) % c.applications()); };
  const auto key = [](int64_t i) { return "churn-" + std::to_string(i); };
  for (int64_t i = 0; i < s.asks; ++i) c.ask_one(application(i), key(i), need);
  c.schedule();
  std::vector<uint32_t> latencies;
  int64_t oldest = 0, next = s.asks;
  const uint64_t before = c.allocated();
  figures out;
  counted turns("turns");
  const stopwatch watch;
  const auto goes_on = [&] { return counting() ? oldest < s.turns : watch.seconds() < static_cast<double>(s.seconds); };
  while (goes_on()) {
    for (int turn = 0; turn < 100; ++turn, ++oldest, ++next) {
      const stopwatch one;
      c.give_back(application(oldest), key(oldest));
      c.ask_one(application(next), key(next), need);
      const step single;
      c.scheduler().apply(1, single);
      c.deliver();
      latencies.push_back(static_cast<uint32_t>(one.nanoseconds()));
    }
  }
  turns.done(out, static_cast<double>(oldest));
  out["allocations_per_second"] = static_cast<double>(c.allocated() - before) / watch.seconds();
  out["latency_p50_ns"] = percentile(latencies, 50);
  out["latency_p99_ns"] = percentile(latencies, 99);
  out["latency_p99_9_ns"] = percentile(latencies, 99.9);
  return out;
}

}  // namespace tenon::bench
