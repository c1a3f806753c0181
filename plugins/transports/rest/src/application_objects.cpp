// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An application as JSON, with its asks and allocations.
#include <algorithm>
#include <array>

#include "json_objects.hpp"
#include "tenon/text/utc.hpp"
#include "views.hpp"

namespace tenon::rest {

namespace json = boost::json;

json::object allocation_json(const tenon_view_allocation &a) {
  object_writer out;
  out.always("allocationKey", view(a.key));
  out.put("allocationTags", a.tags);
  out.put("requestTime", nanoseconds(a.requested_ms));
  out.put("allocationTime", nanoseconds(a.bound_ms));
  out.put("allocationDelay", nanoseconds(std::max<int64_t>(0, a.bound_ms - a.requested_ms)));
  out.put("resource", a.resources);
  out.put("priority", std::to_string(a.priority));
  out.put("nodeId", a.node);
  out.put("applicationId", a.application);
  out.put("placeholder", (a.flags & TENON_VIEW_PLACEHOLDER) != 0);
  out.put("placeholderUsed", (a.flags & TENON_VIEW_REPLACED) != 0);
  out.put("taskGroupName", a.task_group);
  out.put("preempted", (a.flags & TENON_VIEW_PREEMPTED) != 0);
  out.put("originator", (a.flags & TENON_VIEW_ORIGINATOR) != 0);
  return out.take();
}

json::object foreign_allocation_json(const tenon_view_allocation &a) {
  object_writer out;
  out.always("allocationKey", view(a.key));
  out.put("allocationTags", a.tags);
  out.put("allocationTime", nanoseconds(a.bound_ms));
  out.put("resource", a.resources);
  out.put("priority", std::to_string(a.priority));
  out.put("nodeId", a.node);
  out.put("preemptable", (a.flags & TENON_VIEW_PREEMPTIBLE) != 0);
  return out.take();
}

json::object ask_json(const tenon_view_ask &a) {
  object_writer out;
  out.always("allocationKey", view(a.key));
  out.put("allocationTags", a.tags);
  out.put("requestTime", nanoseconds(a.created_ms));
  out.put("resource", a.resources);
  out.put("priority", std::to_string(a.priority));
  out.put("requiredNodeId", a.required_node);
  out.put("applicationId", a.application);
  out.put("placeholder", (a.flags & TENON_VIEW_PLACEHOLDER) != 0);
  out.put("taskGroupName", a.task_group);
  json::array log;
  for (const auto &entry : listed<tenon_view_log_entry>(a.log)) {
    object_writer one;
    one.put("message", entry.words);
    one.put("lastOccurrence", nanoseconds(entry.last_ms));
    one.put("count", int64_t{entry.count});
    log.push_back(one.take());
  }
  out.put("allocationLog", std::move(log));
  out.put("triggeredPreemption", (a.flags & TENON_VIEW_PREEMPTS) != 0);
  out.put("originator", (a.flags & TENON_VIEW_ORIGINATOR) != 0);
  out.put("schedulingAttempted", (a.flags & TENON_VIEW_TRIED) != 0);
  out.put("triggeredScaleUp", (a.flags & TENON_VIEW_SCALES_UP) != 0);
  return out.take();
}

namespace {

// By instance type: what was used of each resource type, in amounts times seconds.
json::object past_use_json(const tenon_view_application &a) {
  static constexpr const char *names[] = {"resourceUsage", "preemptedResource", "placeholderResource"};
  static_assert(TENON_VIEW_PAST_USED == 0 && TENON_VIEW_PAST_PREEMPTED == 1 && TENON_VIEW_PAST_PLACEHOLDER == 2);
  std::array<json::object, std::size(names)> all;
  for (const auto &one : listed<tenon_view_past_use>(a.past)) {
    if (one.what < all.size()) all[one.what][view(one.instance_type)] = json_of(one.amount_seconds);
  }
  object_writer out;
  for (size_t i = 0; i < all.size(); ++i) out.put(names[i], std::move(all[i]));
  return out.take();
}

// In other states the text says how it got there, which is no rejection.
bool says_what_failed(std::string_view state) {
  return state == "Rejected" || state == "Resuming" || state == "Failing" || state == "Failed";
}

}  // namespace

json::object application_json(const tenon_view_application &a, std::string_view partition) {
  object_writer out;
  out.always("applicationID", view(a.id));
  out.put("usedResource", a.allocated);
  out.put("maxUsedResource", a.most_allocated);
  out.put("pendingResource", a.pending);
  out.always("partition", partition);
  out.always("queueName", view(a.queue));
  out.put("submissionTime", nanoseconds(a.submitted_ms));
  if (a.finished_ms != 0) out.always("finishedTime", nanoseconds(a.finished_ms));
  json::array asks, allocations, log, groups;
  for (const auto &ask : listed<tenon_view_ask>(a.asks)) asks.push_back(ask_json(ask));
  out.put("requests", std::move(asks));
  for (const auto &one : listed<tenon_view_allocation>(a.allocations)) allocations.push_back(allocation_json(one));
  out.put("allocations", std::move(allocations));
  out.put("applicationState", a.state);
  out.put("user", a.user);
  out.put("groups", a.groups);
  if (says_what_failed(view(a.state))) out.put("rejectedMessage", a.words);
  for (const auto &change : listed<tenon_view_state_change>(a.state_log)) {
    object_writer one;
    one.put("time", nanoseconds(change.at_ms));
    one.put("applicationState", change.state);
    log.push_back(one.take());
  }
  out.put("stateLog", std::move(log));
  for (const auto &group : listed<tenon_view_task_group>(a.task_groups)) {
    object_writer one;
    one.put("taskGroupName", group.name);
    one.put("count", group.count);
    one.put("minResource", group.least);
    one.put("replaced", group.replaced);
    one.put("timedout", group.timed_out);
    groups.push_back(one.take());
  }
  out.put("placeholderData", std::move(groups));
  out.put("hasReserved", a.reservations.count != 0);
  out.put("reservations", a.reserved_for);
  out.put("maxRequestPriority", a.priority == INT32_MIN ? int64_t{0} : int64_t{a.priority});
  out.put("startTime", a.started_ms);
  out.always("resourceHistory", past_use_json(a));
  if (a.not_before_ms != 0) out.always("backoffDeadline", utc_text(a.not_before_ms));
  return out.take();
}

}  // namespace tenon::rest
