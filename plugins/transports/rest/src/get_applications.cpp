// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications: of a queue, of a partition, by state, one by one.
#include <algorithm>
#include <array>

#include "handlers.hpp"
#include "json_objects.hpp"
#include "paging.hpp"
#include "path_names.hpp"
#include "views.hpp"

namespace tenon::rest {

uint64_t find_queue(const tenon_view_partition &p, std::string_view path);

namespace {

constexpr std::array<std::string_view, 7> statuses = {"new",        "accepted", "starting", "running",
                                                      "completing", "failing",  "resuming"};

// What is read for applications that are shown like that.
uint32_t wanted(const page &out, bool ended) {
  uint32_t w = ended ? TENON_READ_ENDED : TENON_READ_APPLICATIONS;
  if (out.shows("requests")) w |= TENON_READ_ASKS;
  if (out.shows("allocations")) w |= TENON_READ_ALLOCATIONS;
  return w;
}

std::string status_of(const request &asked, bool active) {
  const auto status = asked.asked("status");
  if (!status || status->empty()) return {};
  std::string wanted_status = lower_case(*status);
  if (active && std::find(statuses.begin(), statuses.end(), wanted_status) != statuses.end()) return wanted_status;
  std::string all;
  nearest_name near(wanted_status);
  for (const std::string_view one : statuses) {
    all += (all.empty() ? "" : ",") + std::string(one);
    near.look_at(one);
  }
  throw refused{
      400, "Only following active statuses are allowed: " + all,
      "have '" + std::string(*status) + "'" + (near.is_slip() ? "; did you mean '" + near.name() + "'?" : "")};
}

template <class Wanted>
answer listed_applications(const tenon_view_partition &p, const tenon_view_list &list, page &out, Wanted &&wants) {
  for (const auto &a : listed<tenon_view_application>(list)) {
    if (!wants(a)) continue;
    if (out.wants(place(static_cast<uint64_t>(a.submitted_ms)) + std::string(view(a.id)))) {
      out.add(application_json(a, view(p.short_name)));
    }
    if (out.full()) break;
  }
  return out.take();
}

answer of_queue(const context &c, const std::string &status) {
  page out(c.asked, "Application");
  const std::string &name = c.asked.parameter("queue");
  check_queue_name(name);
  const partition_view p(c.use, c.asked.parameter("partition"), wanted(out, false) | TENON_READ_QUEUES);
  find_queue(*p, name);
  return listed_applications(*p, p->active, out, [&](const tenon_view_application &a) {
    return same_without_case(view(a.queue), name) && (status.empty() || lower_case(view(a.state)) == status);
  });
}

answer one_application(const context &c, std::string_view queue) {
  const partition_view p(c.use, c.asked.parameter("partition"),
                         TENON_READ_APPLICATIONS | TENON_READ_ASKS | TENON_READ_ALLOCATIONS | TENON_READ_QUEUES);
  if (!queue.empty()) find_queue(*p, queue);
  nearest_name near(c.asked.parameter("application"));
  for (const auto &a : listed<tenon_view_application>(p->active)) {
    near.look_at(view(a.id));
    if (view(a.id) != c.asked.parameter("application")) continue;
    if (queue.empty() || same_without_case(view(a.queue), queue)) {
      return json_answer(application_json(a, view(p->short_name)));
    }
    throw refused{404, "Application not found", "it is in queue '" + std::string(view(a.queue)) + "'"};
  }
  throw near.not_found("Application");
}

}  // namespace

answer get_queue_applications(const context &c) { return of_queue(c, {}); }

answer get_queue_applications_by_state(const context &c) {
  const std::string &name = c.asked.parameter("queue");
  const std::string partition = full_name(c.use, c.asked.parameter("partition"));
  check_queue_name(name);
  find_queue(*partition_view(c.use, partition, TENON_READ_QUEUES), name);
  if (lower_case(c.asked.parameter("state")) != "active") {
    throw refused{
        400, "Only following application states are allowed: active",
        "ended ones are listed for the whole partition: GET /ws/v1/partition/PARTITION/applications/completed"};
  }
  return of_queue(c, status_of(c.asked, true));
}

answer get_applications_by_state(const context &c) {
  (void)full_name(c.use, c.asked.parameter("partition"));  // missing partitions are told first
  const std::string state = lower_case(c.asked.parameter("state"));
  const bool active = state == "active";
  if (!active && state != "rejected" && state != "completed") {
    throw refused{400, "Only following application states are allowed: active, rejected, completed",
                  "have '" + state + "'; a state as running goes with active: applications/active?status=running"};
  }
  const std::string status = active ? status_of(c.asked, true) : std::string{};
  page out(c.asked, "Application");
  const partition_view p(c.use, c.asked.parameter("partition"), wanted(out, !active));
  return listed_applications(*p, active ? p->active : p->ended, out, [&](const tenon_view_application &a) {
    if (active) return status.empty() || lower_case(view(a.state)) == status;
    return (view(a.state) == "Rejected") == (state == "rejected");
  });
}

answer get_application(const context &c) { return one_application(c, {}); }

answer get_queue_application(const context &c) {
  check_queue_name(c.asked.parameter("queue"));
  return one_application(c, c.asked.parameter("queue"));
}

}  // namespace tenon::rest
