// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "cases.hpp"
#include "counted.hpp"

namespace tenon::bench {
namespace {

constexpr std::string_view partition_name = "[rm]default";
constexpr int64_t per_node = 30;

// "rich" fills the cluster with allocations of one vcore each; "poor" has half of it guaranteed and nothing yet. What
// may give way of "rich": all; nothing, by what its asks say; nothing, by its own guarantee.
enum class giving { all, none_by_ask, none_by_guarantee };

class full_cluster {
 public:
  full_cluster(policy_source &policies, const settings &s, giving gives) : kernel_(policies) {
    partition_config p;
    p.root.name = "root";
    p.root.parent = true;
    p.root.submit_acl = "*";
    p.root.queues.resize(2);
    p.root.queues[0].name = "rich";
    if (gives == giving::none_by_guarantee) p.root.queues[0].guaranteed = {{"vcore", s.nodes * per_node * 1000}};
    p.root.queues[1].name = "poor";
    p.root.queues[1].guaranteed = {{"vcore", s.nodes * per_node * 500}};
    p.root.queues[1].properties["preemption.delay"] = "1ms";
    p.tuning.reservation_enabled = false;
    cluster_config config;
    config.partitions.push_back(std::move(p));
    register_rm c;
    c.rm = "rm";
    c.config = &config;
    run(c);
    const std::vector<named_amount> capacity{{"vcore", per_node * 1000}, {"memory", per_node << 30}};
    for (int64_t i = 0; i < s.nodes; ++i) {
      const std::string id = "node-" + std::to_string(i);
      add_node n;
      n.partition = partition_name;
      n.node = id;
      n.capacity = capacity;
      run(n);
    }
    for (const std::string_view name : {"rich", "poor"}) {
      const std::string queue = "root." + std::string(name);
      add_application a;
      a.partition = partition_name;
      a.application = name;
      a.queue = queue;
      a.user = "user";
      run(a);
    }
    for (int64_t i = 0; i < s.nodes * per_node; ++i) ask("rich", i, 1, gives != giving::none_by_ask, false);
    step all;
    all.max_decisions = 1'000;
    while (kernel_.apply(now_ms_, all) != 0) deliver();
    ++now_ms_;
  }

  void ask(std::string_view application, int64_t number, int64_t vcores, bool self, bool other) {
    const std::string key = std::string(application) + "-0000-0000-0000-" + std::to_string(number);
    const std::vector<named_amount> need{{"vcore", vcores * 1000}, {"memory", vcores << 30}};
    put_ask a;
    a.partition = partition_name;
    a.application = application;
    a.key = key;
    a.resources = need;
    a.allow_preempt_self = self;
    a.allow_preempt_other = other;
    run(a);
  }
  // Single steps at a time at which every ask of "poor" may try; the nanoseconds of each.
  std::vector<uint32_t> decide(int64_t steps) {
    std::vector<uint32_t> out;
    now_ms_ += 60'000;
    kernel_.apply(now_ms_, advance{});
    for (int64_t i = 0; i < steps; ++i) {
      const step one;
      const stopwatch watch;
      kernel_.apply(now_ms_, one);
      out.push_back(static_cast<uint32_t>(watch.nanoseconds()));
      deliver();
    }
    return out;
  }
  // The resource manager confirms all that was asked for.
  void confirm() {
    std::vector<std::pair<std::string, uint64_t>> all;
    all.swap(going_);
    for (const auto &[key, sequence] : all) {
      release r;
      r.partition = partition_name;
      r.application = "rich";
      r.key = key;
      r.allocation_sequence = sequence;
      r.why = termination::preempted_by_scheduler;
      r.what = release_what::allocations;
      run(r);
    }
  }
  [[nodiscard]] uint64_t placed() const { return placed_; }

 private:
  void run(const command &c) {
    kernel_.apply(now_ms_, c);
    deliver();
  }
  void deliver() {
    kernel_.drain([this](const decision_view &d) {
      if (d.kind() == decision_kind::allocated && d.application == "poor") ++placed_;
      if (d.kind() == decision_kind::released) going_.emplace_back(d.key, d.allocation_sequence);
    });
  }

  kernel kernel_;
  int64_t now_ms_ = 1;
  uint64_t placed_ = 0;
  std::vector<std::pair<std::string, uint64_t>> going_;
};

}  // namespace

figures run_preempt(const settings &s) {
  figures out;
  const auto policies = make_policies(s);
  full_cluster c(*policies, s, giving::all);
  const int64_t claims = s.nodes / 10 + 1;
  const stopwatch watch;
  for (int64_t i = 0; i < claims; ++i) c.ask("poor", i, 1, true, true);
  counted one_victim("one-victim");
  std::vector<uint32_t> one = c.decide(claims);
  one_victim.done(out, static_cast<double>(claims));
  c.confirm();
  c.decide(claims);
  out["allocations_per_second"] = static_cast<double>(c.placed()) / watch.seconds();
  out["one_victim_p50_ns"] = percentile(one, 50);
  out["one_victim_p99_ns"] = percentile(one, 99);
  const int64_t several = counting() ? 3 : 20;
  for (int64_t i = 0; i < several; ++i) c.ask("poor", claims + i, 8, true, true);
  counted eight_victims("eight-victims");
  std::vector<uint32_t> eight = c.decide(several);
  eight_victims.done(out, static_cast<double>(several));
  out["eight_victims_p50_ns"] = percentile(eight, 50);
  out["eight_victims_p99_ns"] = percentile(eight, 99);

  full_cluster fixed(*policies, s, giving::none_by_ask);
  fixed.ask("poor", 0, 8, true, true);
  counted no_victim("no-victim");
  std::vector<uint32_t> none = fixed.decide(1);
  no_victim.done(out, 1);
  out["no_victim_ns"] = percentile(none, 50);

  full_cluster guaranteed(*policies, s, giving::none_by_guarantee);
  guaranteed.ask("poor", 0, 8, true, true);
  counted no_open_queue("no-open-queue");
  std::vector<uint32_t> closed = guaranteed.decide(1);
  no_open_queue.done(out, 1);
  out["no_open_queue_ns"] = percentile(closed, 50);
  return out;
}

}  // namespace tenon::bench
