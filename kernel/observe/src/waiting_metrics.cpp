// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Metrics of what waits, and of what was done about it, by queue.
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "metrics.hpp"
#include "tenon/abi/host_read.h"
#include "view_text.hpp"
#include "waiting_now.hpp"

namespace tenon::observe {
namespace {

distribution distribution_of(const waiting_histogram &h) {
  distribution out{{h.bounds.begin(), h.bounds.end()}, {h.in.begin(), h.in.end()}, h.count, h.sum};
  std::partial_sum(out.at_most.begin(), out.at_most.end(), out.at_most.begin());
  return out;
}

}  // namespace

void metrics_maker::add_waiting(std::vector<family> &out, const tenon_view &view) const {
  family pending =
      make_family("tenon_queue_pending_allocations", "Allocations of a leaf queue that wait.", TENON_METRIC_GAUGE);
  family oldest = make_family("tenon_queue_oldest_wait_seconds",
                              "How long the longest of them has waited; 0: nothing waits.", TENON_METRIC_GAUGE);
  family reserved =
      make_family("tenon_queue_reservations", "Nodes that are kept for asks of a leaf queue.", TENON_METRIC_GAUGE);
  family reasons = make_family("tenon_queue_waiting_allocations",
                               "Allocations of a leaf queue that wait, by what they wait for.", TENON_METRIC_GAUGE);
  const int64_t now_ms = now_unix_ms();
  for (const auto &p : all<tenon_view_partition>(view.partitions)) {
    std::map<std::string, waiting_now> queues = waiting_by_queue(p, now_ms);
    for (const auto &q : all<tenon_view_queue>(p.queues)) {
      if ((q.flags & TENON_VIEW_LEAF) == 0) continue;
      const waiting_now &of = queues[text(q.path)];
      const std::map<std::string, std::string> labels = {{"partition", text(p.name)}, {"queue", text(q.path)}};
      pending.samples.push_back({labels, static_cast<double>(of.pending)});
      oldest.samples.push_back({labels, static_cast<double>(of.oldest_ms) / 1000});
      reserved.samples.push_back({labels, static_cast<double>(of.reservations)});
      for (const auto &[reason, count] : of.largest_reasons()) {
        reasons.samples.push_back({labels, static_cast<double>(count)});
        reasons.samples.back().labels["reason"] = reason;
      }
    }
  }
  for (family *f : {&pending, &oldest, &reserved}) out.push_back(std::move(*f));
  if (!reasons.samples.empty()) out.push_back(std::move(reasons));
}

void metrics_maker::add_queue_tallies(std::vector<family> &out) const {
  family waited =
      make_family("tenon_queue_waiting_seconds",
                  "From the creation of asks to their placement; placeholders are not in it.", TENON_METRIC_HISTOGRAM);
  family preempted = make_family("tenon_queue_preemptions_total", "Allocations of a queue that had to give way.",
                                 TENON_METRIC_COUNTER);
  family reserved =
      make_family("tenon_queue_reservations_total", "Nodes that were kept for asks of a queue.", TENON_METRIC_COUNTER);
  family timeouts = make_family("tenon_queue_gang_timeouts_total",
                                "Applications of a queue whose placeholders were given up.", TENON_METRIC_COUNTER);
  for (const auto &[of, tally] : tallies_.all()) {
    const std::map<std::string, std::string> labels = {{"partition", of.partition}, {"queue", of.queue}};
    waited.samples.push_back({labels, 0, distribution_of(tally.waiting)});
    preempted.samples.push_back({labels, static_cast<double>(tally.preempted)});
    reserved.samples.push_back({labels, static_cast<double>(tally.reserved)});
    timeouts.samples.push_back({labels, static_cast<double>(tally.gang_timeouts)});
  }
  for (family *f : {&waited, &preempted, &reserved, &timeouts}) {
    if (!f->samples.empty()) out.push_back(std::move(*f));
  }
}

}  // namespace tenon::observe
