// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs in this process, by libtenon: requests of several threads, answers by callbacks.
#include <sys/resource.h>

#include <atomic>
#include <charconv>
#include <thread>

#include "cases.hpp"
#include "tenon/rm/tenon.hpp"

namespace tenon::bench {
namespace {

using clock = std::chrono::steady_clock;
using rm::text;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch()).count();
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval &t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// An RM with a cluster that holds `asks` exactly, and what it hears.
class load {
 public:
  explicit load(const settings &s) : settings_(s), sent_(static_cast<size_t>(s.asks)), took_(sent_.size()) {
    rm::handlers on;
    on.allocated = [this](const tenon_rm_allocation &a) {
      const std::string_view key = rm::view(a.key);
      size_t index = 0;
      std::from_chars(key.data(), key.data() + key.size(), index);
      took_[index] = static_cast<uint32_t>(std::min<int64_t>(now_ns() - sent_[index], UINT32_MAX));
      placed_.fetch_add(1, std::memory_order_release);
    };
    on.answered = [](const tenon_rm_message &) {};
    manager_ = std::make_unique<rm::resource_manager>(scheduler_, rm::identity{.name = "bench"}, std::move(on));
    register_cluster();
  }

  // Submits asks [from, to) in batches and does not wait.
  void submit(int64_t from, int64_t to) {
    const rm::amounts one_ask{{"memory", 10}, {"vcore", 1'000}};
    std::vector<std::string> keys(static_cast<size_t>(settings_.batch));
    std::vector<tenon_rm_ask> asks(keys.size(), rm::message<tenon_rm_ask>(TENON_RM_ASK));
    std::vector<const tenon_rm_message *> batch(keys.size());
    for (int64_t at = from; at < to;) {
      const auto count = static_cast<size_t>(std::min<int64_t>(settings_.batch, to - at));
      for (size_t i = 0; i < count; ++i) {
        keys[i] = std::to_string(at + static_cast<int64_t>(i));
        asks[i].application = text("app");
        asks[i].key = text(keys[i]);
        asks[i].resources = one_ask.get();
        asks[i].max_allocations = 1;
        batch[i] = rm::header(asks[i]);
        sent_[static_cast<size_t>(at) + i] = now_ns();
      }
      send_all(std::span(batch).first(count));
      at += static_cast<int64_t>(count);
    }
  }

  void wait_for(int64_t placed) const {
    while (placed_.load(std::memory_order_acquire) < placed) std::this_thread::yield();
  }
  [[nodiscard]] std::vector<uint32_t> latencies(int64_t from) const { return {took_.begin() + from, took_.end()}; }

 private:
  void send_all(std::span<const tenon_rm_message *const> left) {
    while (!left.empty()) {
      left = left.subspan(manager_->submit(left));
      if (!left.empty()) std::this_thread::yield();
    }
  }

  void register_cluster() {
    auto application = rm::message<tenon_rm_application>(TENON_RM_APPLICATION);
    application.application = text("app");
    application.queue = text("root.bench");
    application.user = text("bench");
    application.user_present = 1;
    send_all(std::vector{rm::header(application)});
    const int64_t per_node = (settings_.asks + settings_.nodes - 1) / settings_.nodes;
    const rm::amounts capacity{{"memory", 10 * per_node}, {"vcore", 1'000 * per_node}};
    for (int64_t i = 0; i < settings_.nodes; ++i) {
      const std::string name = "node-" + std::to_string(i);
      auto node = rm::message<tenon_rm_node>(TENON_RM_NODE);
      node.node = text(name);
      node.action = TENON_NODE_CREATE;
      node.schedulable = capacity.get();
      send_all(std::vector{rm::header(node)});
    }
  }

  const settings settings_;
  rm::scheduler scheduler_{{.queues = "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', "
                                      "queues: [ { name: bench } ] } ] } ]"}};
  std::vector<int64_t> sent_;
  std::vector<uint32_t> took_;
  std::atomic<int64_t> placed_{0};
  std::unique_ptr<rm::resource_manager> manager_;
};

}  // namespace

figures run_inproc(const settings &s) {
  figures out;
  {
    load all(s);
    const int64_t warm = s.asks / 10;
    all.submit(0, warm);
    all.wait_for(warm);
    const double cpu_before = cpu_seconds();
    const stopwatch watch;
    std::vector<std::thread> streams;
    for (int64_t i = 0; i < s.streams; ++i)
      streams.emplace_back([&, i] {
        const int64_t count = s.asks - warm;
        all.submit(warm + count * i / s.streams, warm + count * (i + 1) / s.streams);
      });
    for (std::thread &one : streams) one.join();
    all.wait_for(s.asks);
    const auto placed = static_cast<double>(s.asks - warm);
    out["allocations_per_second"] = placed / watch.seconds();
    out["cpu_us_per_allocation"] = (cpu_seconds() - cpu_before) * 1e6 / placed;
    out["loaded_latency_p50_ns"] = [&] {
      auto l = all.latencies(warm);
      return percentile(l, 50);
    }();
  }
  // One batch at a time: how long an ask takes where nothing is before it.
  settings few = s;
  few.asks = std::min<int64_t>(s.asks, 2'000 * s.batch);
  load alone(few);
  for (int64_t at = 0; at < few.asks;) {
    const int64_t to = std::min(few.asks, at + few.batch);
    alone.submit(at, to);
    alone.wait_for(to);
    at = to;
  }
  auto latencies = alone.latencies(0);
  out["latency_p50_ns"] = percentile(latencies, 50);
  out["latency_p99_ns"] = percentile(latencies, 99);
  return out;
}

}  // namespace tenon::bench
