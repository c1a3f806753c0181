// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// How a partition and its queues went lately: use, what waits and why, how long that waited, what was decided.
#include "handlers.hpp"
#include "path_names.hpp"
#include "views.hpp"

namespace tenon::rest {

namespace json = boost::json;

answer get_history(const context &c) {
  const std::string partition = full_name(c.use, c.asked.parameter("partition"));
  const reading now(c.use, TENON_METRICS_CURVE);
  json::array out;
  for (const auto &p : listed<tenon_curve_point>(now->curve)) {
    if (view(p.partition) != partition) continue;
    object_writer one;
    one.always("time", nanoseconds(p.at_ms));
    one.always("span", nanoseconds(p.span_ms));
    one.always("capacity", json_of(p.capacity));
    one.always("used", json_of(p.used));
    one.always("pending", json_of(p.pending));
    one.always("waitingApplications", p.waiting);
    one.always("decisions", p.decisions);
    one.always("placed", p.placed);
    one.always("preempted", p.preempted);
    one.always("meanWaitSeconds", p.placed == 0 ? 0.0 : p.waited_seconds / static_cast<double>(p.placed));
    one.always("longestWaitSeconds", p.longest_seconds);
    out.push_back(one.take());
  }
  return json_answer(out);
}

answer get_queue_history(const context &c) {
  const std::string &wanted = c.asked.parameter("queue");
  check_queue_name(wanted);
  const partition_view p(c.use, c.asked.parameter("partition"), TENON_READ_QUEUES);
  const auto queues = listed<tenon_view_queue>(p->queues);
  const reading now(c.use, view(p->name), view(queues[find_queue(*p, wanted)].path));
  json::array out;
  for (const auto &point : listed<tenon_queue_curve_point>(now->queue_curve)) {
    object_writer one;
    one.always("time", nanoseconds(point.at_ms));
    one.always("span", nanoseconds(point.span_ms));
    one.always("used", json_of(point.used));
    one.always("pending", json_of(point.pending));
    one.always("runningApplications", point.running);
    one.always("waitingAllocations", point.waiting);
    one.always("oldestWaitSeconds", static_cast<double>(point.oldest_ms) / 1000);
    one.always("waitingFor", json_of(point.reasons));
    out.push_back(one.take());
  }
  return json_answer(out);
}

}  // namespace tenon::rest
