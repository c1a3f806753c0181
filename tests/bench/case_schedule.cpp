// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {
namespace {

constexpr int64_t shares_of_a_gpu = 10;

std::vector<named_amount> one_ask(const settings &s) {
  std::vector<named_amount> out{{"vcore", 1000}, {"memory", 10 * mib}};
  if (s.devices) out.push_back({"gpu", 1000 / shares_of_a_gpu});
  return out;
}

int64_t asks_of_a_node(const settings &s) { return (s.asks + s.nodes - 1) / s.nodes; }
int64_t gpus_of_a_node(const settings &s) { return (asks_of_a_node(s) + shares_of_a_gpu - 1) / shares_of_a_gpu; }

// Nodes that hold the asks exactly, so that the last decision is as real as the first.
amount_map node_for(const settings &s) {
  const int64_t per_node = asks_of_a_node(s);
  amount_map out{{"vcore", per_node * 1000}, {"memory", per_node * 10 * mib}};
  if (s.devices) out["gpu"] = gpus_of_a_node(s) * 1000;
  return out;
}

void prepare(cluster &c, const settings &s) {
  c.add_nodes(s.nodes, node_for(s), s.devices ? std::to_string(gpus_of_a_node(s)) + "x1000" : std::string());
  c.add_applications();
}

void add_unplaceable(cluster &c, const settings &s) {
  const int64_t most = node_for(s).at("vcore");
  for (int64_t i = 0; i < s.unplaceable; ++i) {
    const std::vector<named_amount> need{{"vcore", most + 1 + i % 100}, {"memory", mib}};
    c.ask_one(static_cast<uint32_t>(static_cast<size_t>(i) % c.applications()), "unplaceable-" + std::to_string(i),
              need);
  }
}

double rate(const settings &s, int64_t unplaceable, double &decide_rate, figures &counts) {
  const auto policies = make_policies(s);
  cluster c(*policies, s);
  prepare(c, s);
  settings with = s;
  with.unplaceable = unplaceable;
  add_unplaceable(c, with);
  c.schedule();
  const ask_keys keys(s.asks, "ask-0000");
  const std::vector<named_amount> need = one_ask(s);
  const stopwatch all;
  counted intake("intake");
  c.ask(keys, need);
  intake.done(counts, static_cast<double>(s.asks));
  const stopwatch deciding;
  counted deciding_counted("decide");
  c.schedule();
  deciding_counted.done(counts, static_cast<double>(c.allocated()));
  decide_rate = static_cast<double>(c.allocated()) / deciding.seconds();
  return static_cast<double>(c.allocated()) / all.seconds();
}

}  // namespace

figures run_schedule(const settings &s) {
  figures out;
  out["allocations_per_second"] = rate(s, 0, out["decisions_per_second"], out);
  if (counting()) return out;
  const auto policies = make_policies(s);
  cluster c(*policies, s);
  prepare(c, s);
  c.ask(ask_keys(s.asks, "ask-0000"), one_ask(s));
  std::vector<uint32_t> latencies;
  latencies.reserve(static_cast<size_t>(s.asks) + 1);
  c.schedule_singly(latencies);
  out["latency_p50_ns"] = percentile(latencies, 50);
  out["latency_p99_ns"] = percentile(latencies, 99);
  out["latency_p99_9_ns"] = percentile(latencies, 99.9);
  return out;
}

figures run_unplaceable(const settings &s) {
  figures out;
  double ignored = 0;
  const double without = counting() ? 1 : rate(s, 0, ignored, out);
  const double with = rate(s, s.unplaceable, ignored, out);
  out["allocations_per_second"] = with;
  out["allocations_without_them_per_second"] = without;
  out["percent_of_without"] = 100 * with / without;
  return out;
}

figures run_mixed(const settings &s) {
  std::mt19937_64 random(7);
  std::vector<std::vector<named_amount>> shapes;
  for (int64_t i = 0; i < s.shapes; ++i) {
    const auto draw = [&](int64_t low, int64_t high) {
      return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
    };
    shapes.push_back({{"vcore", 100 * draw(1, 80)}, {"memory", 64 * mib * draw(1, 256)}, {"gpu", 100 * draw(0, 10)}});
  }
  const auto policies = make_policies(s);
  cluster c(*policies, s);
  c.add_nodes(s.nodes, {{"vcore", 64'000}, {"memory", int64_t{256} << 30}, {"gpu", 8'000}},
              s.devices ? "8x1000" : std::string());
  c.add_applications();
  figures out;
  const stopwatch watch;
  counted intake("intake");
  for (int64_t i = 0; i < s.asks; ++i) {
    c.ask_one(static_cast<uint32_t>(static_cast<size_t>(i) % c.applications()), "mixed-" + std::to_string(i),
              shapes[static_cast<size_t>(random() % shapes.size())]);
  }
  intake.done(out, static_cast<double>(s.asks));
  counted deciding("decide");
  c.schedule();
  deciding.done(out, static_cast<double>(c.allocated()));
  out["allocations_per_second"] = static_cast<double>(c.allocated()) / watch.seconds();
  out["allocated"] = static_cast<double>(c.allocated());
  return out;
}

}  // namespace tenon::bench
