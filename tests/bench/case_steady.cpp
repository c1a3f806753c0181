// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {
namespace {

constexpr int64_t shares_of_a_node = 64;  // of which an ask wants a few
constexpr int64_t full_percent = 95;      // of the cluster, when turns begin

// Applications over all queues; asks of many shapes, drawn at random; what comes is as large as what went.
class full_cluster {
 public:
  full_cluster(policy_source &policies, const settings &s) : cluster_(policies, s) {
    const int64_t per_node = (s.asks + s.nodes - 1) / s.nodes;
    // An ask wants 1 to 3 shares, so that a node holds about as many as are wanted of it.
    const int64_t share_vcore = 1'000 * per_node * 2 / shares_of_a_node * 100 / full_percent;
    for (int64_t i = 0; i < s.shapes; ++i) {
      const int64_t vcore = share_vcore / 2 + i % 97 * share_vcore / 64;
      const int64_t memory = 512 * mib + i * 37 % 1'009 * mib;
      shapes_.push_back({{"vcore", vcore}, {"memory", memory}});
    }
    int64_t vcore = 0, memory = 0;
    for (int64_t i = 0; i < s.asks; ++i) {
      const auto &shape = shapes_[static_cast<size_t>(random_() % shapes_.size())];
      first_.push_back(static_cast<uint32_t>(&shape - shapes_.data()));
      vcore += shape[0].amount;
      memory += shape[1].amount;
    }
    cluster_.add_nodes(
        s.nodes, {{"vcore", vcore / s.nodes * 100 / full_percent}, {"memory", memory / s.nodes * 100 / full_percent}});
    cluster_.add_applications();
    for (const uint32_t shape : first_) come(shape);
    cluster_.schedule();
  }

  // One allocation drawn at random ends, an ask of its shape comes, one decision is made and delivered.
  void turn() {
    const size_t at = random_() % running_.size();
    const one gone = running_[at];
    running_[at] = running_.back();
    running_.pop_back();
    cluster_.give_back(gone.application, gone.key);
    come(gone.shape);
    cluster_.scheduler().apply(1, step{});
    cluster_.deliver();
  }
  [[nodiscard]] uint64_t allocated() const { return cluster_.allocated(); }

 private:
  struct one {
    uint32_t application = 0, shape = 0;
    std::string key;
  };

  void come(uint32_t shape) {
    const auto application = static_cast<uint32_t>(random_() % cluster_.applications());
    running_.push_back({application, shape, "task-of-some-application-0000-" + std::to_string(next_++)});
    cluster_.ask_one(application, running_.back().key, shapes_[shape]);
  }

  cluster cluster_;
  std::mt19937_64 random_{11};
  std::vector<std::vector<named_amount>> shapes_;
  std::vector<uint32_t> first_;  // shapes of what fills the cluster
  std::vector<one> running_;
  int64_t next_ = 0;
};

}  // namespace

figures run_steady(const settings &s) {
  const auto policies = make_policies(s);
  full_cluster c(*policies, s);
  figures out;
  const int64_t warm = std::min<int64_t>(s.asks / 10, 20'000);
  for (int64_t i = 0; i < warm && !counting(); ++i) c.turn();
  std::vector<uint32_t> latencies;
  const uint64_t before = c.allocated();
  counted turns("turns");
  const stopwatch watch;
  const auto goes_on = [&](int64_t done) {
    return counting() ? done < s.turns : watch.seconds() < static_cast<double>(s.seconds);
  };
  int64_t done = 0;
  for (; goes_on(done); ++done) {
    const stopwatch one;
    c.turn();
    if (!counting()) latencies.push_back(static_cast<uint32_t>(one.nanoseconds()));
  }
  turns.done(out, static_cast<double>(done));
  out["allocations_per_second"] = static_cast<double>(c.allocated() - before) / watch.seconds();
  out["allocations_per_turn"] = static_cast<double>(c.allocated() - before) / static_cast<double>(done);
  out["latency_p50_ns"] = percentile(latencies, 50);
  out["latency_p99_ns"] = percentile(latencies, 99);
  out["latency_p99_9_ns"] = percentile(latencies, 99.9);
  return out;
}

}  // namespace tenon::bench
