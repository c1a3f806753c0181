// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {
namespace {

constexpr int64_t vcore = 1'000;    // of what runs
constexpr int64_t left_over = 900;  // of each node: too little for one more

// Nodes are as full as they can be, and asks of many shapes wait for more than the end of one allocation gives. What is
// left over on all nodes would be enough for them, so they wait for a node and not for room in a queue.
class waiting_cluster {
 public:
  waiting_cluster(policy_source &policies, const settings &s) : cluster_(policies, s) {
    const int64_t per_node = (s.asks + s.nodes - 1) / s.nodes;
    cluster_.add_nodes(s.nodes, {{"vcore", per_node * vcore + left_over}, {"memory", (per_node + 1) * 16 * mib}});
    cluster_.add_applications();
    for (int64_t i = 0; i < per_node * s.nodes; ++i) come();
    cluster_.schedule();
    for (int64_t i = 0; i < s.shapes; ++i) {
      const auto application = static_cast<uint32_t>(static_cast<size_t>(i) % cluster_.applications());
      cluster_.ask_one(application, "waits-" + std::to_string(i), {{"vcore", 2 * vcore + i}, {"memory", 32 * mib}});
    }
    cluster_.schedule();
  }

  // One drawn at random ends, and whoever waits is looked at. Then another one comes in its place.
  double release() {
    const size_t at = random_() % running_.size();
    const one gone = running_[at];
    const stopwatch watch;
    cluster_.give_back(gone.application, gone.key);
    cluster_.scheduler().apply(1, step{});
    cluster_.deliver();
    const double taken = watch.nanoseconds();
    running_[at] = running_.back();
    running_.pop_back();
    come();
    cluster_.schedule();
    return taken;
  }
  [[nodiscard]] uint64_t allocated() const { return cluster_.allocated(); }

 private:
  struct one {
    uint32_t application = 0;
    std::string key;
  };

  void come() {
    const auto application = static_cast<uint32_t>(static_cast<size_t>(next_) % cluster_.applications());
    running_.push_back({application, "task-of-some-application-0000-" + std::to_string(next_++)});
    cluster_.ask_one(application, running_.back().key, {{"vcore", vcore}, {"memory", 16 * mib}});
  }

  cluster cluster_;
  std::mt19937_64 random_{13};
  std::vector<one> running_;
  int64_t next_ = 0;
};

}  // namespace

figures run_waiting(const settings &s) {
  const auto policies = make_policies(s);
  waiting_cluster c(*policies, s);
  figures out;
  std::vector<uint32_t> releases;
  const uint64_t before = c.allocated();
  counted turns("turns");
  const stopwatch watch;
  const auto goes_on = [&](int64_t done) {
    return counting() ? done < s.turns : watch.seconds() < static_cast<double>(s.seconds);
  };
  int64_t done = 0;
  for (; goes_on(done); ++done) releases.push_back(static_cast<uint32_t>(c.release()));
  turns.done(out, static_cast<double>(done));
  out["allocations_per_turn"] = static_cast<double>(c.allocated() - before) / static_cast<double>(done);
  out["release_p50_ns"] = percentile(releases, 50);
  out["release_p99_ns"] = percentile(releases, 99);
  return out;
}

}  // namespace tenon::bench
