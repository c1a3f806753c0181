// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Families of metrics: what is counted as it happens, and what is read off a snapshot.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ended_applications.hpp"
#include "flat.hpp"
#include "history.hpp"
#include "queue_curves.hpp"
#include "queue_tallies.hpp"
#include "snapshot_keeper.hpp"
#include "tenon/abi/host_metrics.h"
#include "tenon/host/module_host.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/observe/health_checks.hpp"
#include "tenon/observe/observe_services.hpp"
#include "usage_timeline.hpp"

namespace tenon::observe {

// A histogram, read.
struct distribution {
  std::vector<double> bounds;     // ascending; none: it is none
  std::vector<uint64_t> at_most;  // as many: so many values were not above the bound
  uint64_t count = 0;
  double sum = 0;
};

// Counts of values in buckets that grow by a constant factor. One writer, any number of readers.
class histogram {
 public:
  static constexpr size_t buckets = 8;
  static constexpr double least = 0.0001, factor = 10;

  void add(double value);
  [[nodiscard]] distribution read() const;

 private:
  std::array<std::atomic<uint64_t>, buckets> in_{};
  std::atomic<uint64_t> count_ = 0;
  std::atomic<double> sum_ = 0;
};

struct sample {
  std::map<std::string, std::string> labels;
  double value = 0;
  distribution of = {};  // of a histogram, instead of the value
};

struct family {
  std::string name, help;
  uint32_t type = TENON_METRIC_GAUGE;
  std::vector<sample> samples;
};

[[nodiscard]] inline family make_family(std::string name, std::string help, uint32_t type) {
  return {std::move(name), std::move(help), type, {}};
}

[[nodiscard]] int64_t now_unix_ms();

// A reading, flat.
struct metrics_view {
  std::vector<family> families;
  std::vector<host::module_counters> modules;
  std::vector<host::call_shadow_status> shadows;
  std::string world_shadow;
  health_report health;
  std::vector<timeline::series> curves;
  queue_curves::series queue_curve;
  std::vector<timeline::preemption> preemptions;
  flat_memory memory;
  tenon_reading flat{};
  metrics_view() = default;
  metrics_view(const metrics_view &) = delete;
  metrics_view &operator=(const metrics_view &) = delete;
};

class metrics_maker {
 public:
  metrics_maker(kernel_access &to, host::module_host &modules, snapshot_keeper &keeper, health_checks &health);
  ~metrics_maker();
  metrics_maker(const metrics_maker &) = delete;
  metrics_maker &operator=(const metrics_maker &) = delete;

  void count(std::span<const decision_view> decisions, const kernel &k);  // on the kernel's thread
  void cycle_took(double seconds, uint64_t decisions);                    // likewise

  std::shared_ptr<const metrics_view> read(uint32_t wanted);
  // Reads how use and waiting went in one queue, and nothing else.
  std::shared_ptr<const metrics_view> read_queue_curve(const std::string &partition, const std::string &queue);
  void close();  // ends its thread; the kernel_access is not used afterwards

 private:
  // The families, by name.
  [[nodiscard]] std::vector<family> families();
  void add_counters(std::vector<family> &out) const;
  void add_state(std::vector<family> &out);
  void add_service(std::vector<family> &out) const;
  void add_shadows(std::vector<family> &out) const;
  void add_waiting(std::vector<family> &out, const tenon_view &view) const;
  void add_queue_tallies(std::vector<family> &out) const;
  void look_at_minute();
  void look_at_curve(std::chrono::seconds within);
  void look_at_curve_now_and_then();
  // Adds a point to the curves of queues, unless the latest point is newer than `apart`.
  void look_at_queues(std::chrono::seconds within, std::chrono::nanoseconds apart);
  static void put_curves(metrics_view &out);
  static void put_queue_curve(metrics_view &out);
  static void put_preemptions(metrics_view &out);
  static void put_shadows(metrics_view &out);

  kernel_access &access_;
  host::module_host &modules_;
  snapshot_keeper &keeper_;
  std::array<std::atomic<uint64_t>, 32> decisions_{};  // by kind
  std::array<std::atomic<uint64_t>, 8> releases_{};    // by why
  std::atomic<uint64_t> completed_ = 0, failed_ = 0;
  static constexpr int64_t forget_every_ms = 10'000;
  int64_t forgot_ms_ = 0;  // when counts of partitions that are gone last made way for others
  ended_applications ended_;
  queue_tallies tallies_;
  health_checks &health_;
  histogram scheduling_, cycle_;
  history history_;
  timeline timeline_;
  queue_curves queue_curves_;
  std::atomic<int64_t> queues_looked_ns_ = 0, queues_cost_ns_ = 0;  // the latest look at queues: when, and what it took
  // So many applications and asks are looked at though nobody reads.
  static constexpr uint64_t most_objects_unasked = 20'000;
  std::atomic<bool> queues_are_costly_ = false;  // there are more
  std::mutex mutex_;                             // of what follows
  std::condition_variable wake_;
  bool closed_ = false;
  std::thread thread_;       // looks at the curve; started with the first turn
  bool is_watched_ = false;  // on the kernel's thread alone
};

}  // namespace tenon::observe
