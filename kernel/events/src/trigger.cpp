// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/events/trigger.hpp"

#include <algorithm>
#include <array>

namespace tenon::events {
namespace {

using enum source;
using k = fact_kind;

constexpr uint32_t request = TENON_EVENT_REQUEST, app = TENON_EVENT_APP, node_type = TENON_EVENT_NODE,
                   queue_type = TENON_EVENT_QUEUE, usergroup = TENON_EVENT_USERGROUP;
constexpr uint32_t no_change = TENON_EVENT_NONE, set = TENON_EVENT_SET, add = TENON_EVENT_ADD,
                   gone = TENON_EVENT_REMOVE;
constexpr detail_by fixed = detail_by::number;

struct named_detail {
  uint32_t number;
  std::string_view name;
};
constexpr std::array details{
    named_detail{100, "REQUEST_CANCEL"},     named_detail{102, "REQUEST_TIMEOUT"},
    named_detail{200, "APP_ALLOC"},          named_detail{201, "APP_REQUEST"},
    named_detail{202, "APP_REJECT"},         named_detail{203, "APP_NEW"},
    named_detail{204, "APP_ACCEPTED"},       named_detail{205, "APP_STARTING"},
    named_detail{206, "APP_RUNNING"},        named_detail{207, "APP_COMPLETING"},
    named_detail{208, "APP_COMPLETED"},      named_detail{209, "APP_FAILING"},
    named_detail{210, "APP_FAILED"},         named_detail{211, "APP_RESUMING"},
    named_detail{212, "APP_EXPIRED"},        named_detail{213, "APP_CANNOTRUN_QUEUE"},
    named_detail{214, "APP_RUNNABLE_QUEUE"}, named_detail{215, "APP_CANNOTRUN_QUOTA"},
    named_detail{216, "APP_RUNNABLE_QUOTA"}, named_detail{300, "NODE_DECOMISSION"},
    named_detail{302, "NODE_SCHEDULABLE"},   named_detail{303, "NODE_ALLOC"},
    named_detail{304, "NODE_CAPACITY"},      named_detail{305, "NODE_OCCUPIED"},
    named_detail{306, "NODE_RESERVATION"},   named_detail{401, "QUEUE_DYNAMIC"},
    named_detail{402, "QUEUE_TYPE"},         named_detail{403, "QUEUE_MAX"},
    named_detail{404, "QUEUE_GUARANTEED"},   named_detail{405, "QUEUE_APP"},
    named_detail{407, "QUEUE_PREEMPTION"},   named_detail{500, "ALLOC_CANCEL"},
    named_detail{501, "ALLOC_PREEMPT"},      named_detail{502, "ALLOC_TIMEOUT"},
    named_detail{503, "ALLOC_REPLACED"},     named_detail{504, "ALLOC_NODEREMOVED"},
    named_detail{600, "UG_USER_LIMIT"},      named_detail{601, "UG_GROUP_LIMIT"},
    named_detail{602, "UG_APP_LINK"},        named_detail{603, "UG_USER_RESOURCE"},
    named_detail{604, "UG_GROUP_RESOURCE"},
};

constexpr std::array table{
    trigger{k::application_added, "application submitted", app, application, none, add, fixed, 203, "ApplicationAdded",
            queue, "", false, false},
    trigger{k::application_added, "application comes to its queue", queue_type, queue, application, add, fixed, 405,
            "ApplicationAdded", partition, "", false, false},
    trigger{k::application_rejected, "application submitted, and refused", app, application, none, add, fixed, 203,
            "ApplicationAdded", queue, "", false, false},
    trigger{k::application_rejected, "application refused", app, application, none, set, fixed, 202,
            "ApplicationRejected", queue, "{text}", false, false},
    trigger{k::application_state, "state of an application changes", app, application, none, set, detail_by::state, 0,
            "ApplicationState", queue, "{text}", false, false},
    trigger{k::application_left, "application leaves its queue", app, application, none, gone, fixed, 0,
            "ApplicationRemoved", queue, "", false, false},
    trigger{k::application_left, "the same", queue_type, queue, application, gone, fixed, 405, "ApplicationRemoved",
            partition, "", false, false},
    trigger{k::application_held, "application may not run: as many as may do", app, application, none, no_change,
            detail_by::hold, 213, "ApplicationHeld", queue, "", false, false},
    trigger{k::application_freed, "application may run again", app, application, none, no_change, detail_by::hold, 214,
            "ApplicationFreed", queue, "", false, false},
    trigger{k::application_moved_out, "application moved to another queue, leaves this one", queue_type, queue,
            application, gone, fixed, 405, "ApplicationRemoved", partition, "Moved to queue {other_queue}", false,
            false},
    trigger{k::application_moved_in, "application moved, comes to its new queue", queue_type, queue, application, add,
            fixed, 405, "ApplicationAdded", partition, "Moved from queue {other_queue}", false, false},
    trigger{k::application_moved_in, "the same", app, application, none, set, fixed, 0, "ApplicationMoved", queue,
            "Moved from queue {other_queue}", false, false},
    trigger{k::ask_added, "ask added", app, application, key, add, fixed, 201, "AskAdded", queue, "", true, false},
    trigger{k::ask_removed, "ask removed", app, application, key, gone, detail_by::ask_end, 0, "AskRemoved", queue, "",
            true, false},
    trigger{k::ask_over_queue, "ask exceeds its queue's headroom", request, key, application, no_change, fixed, 0,
            "InsufficientQueueResources", application,
            "Request '{key}' does not fit in queue '{queue}' (requested {amounts}, available {available})", true,
            false},
    trigger{k::ask_fits_queue, "ask fits its queue again", request, key, application, no_change, fixed, 0,
            "SufficientQueueResources", application, "Request '{key}' has become schedulable in queue '{queue}'", true,
            false},
    trigger{k::ask_over_quota, "ask exceeds the quota of its user or group", request, key, application, no_change,
            fixed, 0, "InsufficientUserQuota", application,
            "Request '{key}' exceeds the available user quota (requested {amounts}, available {available})", true,
            false},
    trigger{k::ask_fits_quota, "ask fits the quota again", request, key, application, no_change, fixed, 0,
            "SufficientUserQuota", application, "Request '{key}' fits in the available user quota", true, false},
    trigger{k::ask_unschedulable, "predicates refuse every node with room; once in 15 s", request, key, application,
            no_change, fixed, 0, "PredicatesFailed", application, "Unschedulable request '{key}': {text}", true, false},
    trigger{k::ask_without_victims, "no victims on the required node; once in 15 s", request, key, application,
            no_change, fixed, 0, "NoPreemptionVictim", application,
            "Unschedulable request '{key}' with required node '{node}', no preemption victim found", true, false},
    trigger{k::allocation_added, "allocation made", app, application, key, add, fixed, 200, "AllocationAdded", queue,
            "", true, false},
    trigger{k::allocation_added, "the same", node_type, node, key, add, fixed, 303, "AllocationAdded", partition, "",
            true, false},
    trigger{k::allocation_added, "the same", usergroup, user, queue, add, fixed, 603, "UsageAdded", queue, "", true,
            false},
    trigger{k::allocation_added, "the same, where it counts for a group", usergroup, group, queue, add, fixed, 604,
            "UsageAdded", queue, "", true, true},
    trigger{k::allocation_removed, "allocation ends", app, application, key, gone, detail_by::release, 0,
            "AllocationRemoved", queue, "", true, false},
    trigger{k::allocation_removed, "the same", node_type, node, key, gone, fixed, 303, "AllocationRemoved", partition,
            "", true, false},
    trigger{k::allocation_removed, "the same", usergroup, user, queue, gone, fixed, 603, "UsageRemoved", queue, "",
            true, false},
    trigger{k::allocation_removed, "the same, where it counted for a group", usergroup, group, queue, gone, fixed, 604,
            "UsageRemoved", queue, "", true, true},
    trigger{k::allocation_resized, "allocation takes more or less", usergroup, user, queue, set, fixed, 603,
            "UsageChanged", queue,
            "Allocation '{key}' of application '{application}' has {amounts}, it had {available}", true, false},
    trigger{k::allocation_resized, "the same, where it counts for a group", usergroup, group, queue, set, fixed, 604,
            "UsageChanged", queue,
            "Allocation '{key}' of application '{application}' has {amounts}, it had {available}", true, true},
    trigger{k::preempted, "allocation preempted", request, key, application, no_change, fixed, 0, "Preempted",
            application, "", false, false},
    trigger{k::placeholder_small, "placeholder too small for its ask", request, key, application, no_change, fixed, 0,
            "PlaceholderTooSmall", application,
            "Task group '{text}' in application '{application}': allocation resources '{amounts}' are not matching "
            "placeholder '{available}' allocation with ID '{key}'",
            true, false},
    trigger{k::foreign_added, "foreign allocation reported", node_type, node, key, add, fixed, 303, "AllocationAdded",
            partition, "", true, false},
    trigger{k::foreign_removed, "foreign allocation gone", node_type, node, key, gone, fixed, 303, "AllocationRemoved",
            partition, "", true, false},
    trigger{k::node_added, "node added", node_type, node, none, add, fixed, 0, "NodeAdded", partition,
            "Node added to the scheduler", true, false},
    trigger{k::node_rejected, "node refused", node_type, node, none, no_change, fixed, 0, "NodeRejected", partition,
            "{text}", false, false},
    trigger{k::node_removed, "node removed", node_type, node, none, gone, fixed, 300, "NodeRemoved", partition,
            "Node removed from the scheduler", false, false},
    trigger{k::node_schedulable, "node drained, or taken back", node_type, node, none, set, fixed, 302,
            "NodeSchedulable", partition, "schedulable: {flag}", false, false},
    trigger{k::node_capacity, "capacity of a node changes", node_type, node, none, set, fixed, 304, "NodeCapacity",
            partition, "", true, false},
    trigger{k::node_occupied, "what others occupy of a node changes", node_type, node, none, set, fixed, 305,
            "NodeOccupied", partition, "", true, false},
    trigger{k::reserved, "node reserved for an ask", node_type, node, key, add, fixed, 306, "NodeReserved", partition,
            "", true, false},
    trigger{k::unreserved, "reservation ends", node_type, node, key, gone, fixed, 306, "NodeUnreserved", partition, "",
            true, false},
    trigger{k::queue_added, "queue created", queue_type, queue, none, add, detail_by::queue_kind, 0, "QueueAdded",
            partition, "", false, false},
    trigger{k::queue_removed, "queue removed", queue_type, queue, none, gone, detail_by::queue_kind, 0, "QueueRemoved",
            partition, "", false, false},
    trigger{k::queue_max, "max of a queue changes; of the root: the nodes' sum", queue_type, queue, none, set, fixed,
            403, "QueueMax", partition, "", true, false},
    trigger{k::queue_guaranteed, "guarantee of a queue changes", queue_type, queue, none, set, fixed, 404,
            "QueueGuaranteed", partition, "", true, false},
    trigger{k::queue_type, "leaf becomes a parent, or the other way", queue_type, queue, none, set, fixed, 402,
            "QueueType", partition, "leaf queue: {flag}", false, false},
    trigger{k::queue_quota, "queue brought down to its max", queue_type, queue, none, set, fixed, 407,
            "QuotaPreemption", partition, "Quota preemption: {text}", true, false},
    trigger{k::group_linked, "application counts for a group", usergroup, group, application, set, fixed, 602,
            "GroupLinked", queue, "", false, false},
    trigger{k::group_unlinked, "application counts for it no more", usergroup, group, application, gone, fixed, 602,
            "GroupUnlinked", queue, "", false, false},
    trigger{k::group_usage, "its usage comes to the group or leaves it", usergroup, group, queue, add_by_flag, fixed,
            604, "UsageMoved", queue, "", true, false},
    trigger{k::user_usage, "application moved: its usage leaves the queue or comes to it", usergroup, user, queue,
            add_by_flag, fixed, 603, "UsageMoved", queue, "", true, false},
    trigger{k::user_limit, "limit of a user set or removed", usergroup, user, queue, set_by_flag, fixed, 600,
            "UserLimit", queue, "", true, false},
    trigger{k::group_limit, "limit of a group set or removed", usergroup, group, queue, set_by_flag, fixed, 601,
            "GroupLimit", queue, "", true, false},
    trigger{k::canary_back, "canary of the partition goes back", TENON_EVENT_SYSTEM, partition, none, no_change, fixed,
            0, "CanaryBack", none, "{text}", false, false},
    trigger{k::node_update_rejected, "change of a node refused", node_type, node, none, no_change, fixed, 0,
            "NodeUpdateRejected", partition, "{text}", false, false},
    trigger{k::time_to_come, "creation or bind time is to come, and now is taken", app, application, key, no_change,
            fixed, 0, "TimeToCome", queue, "{text}", false, false},
};

struct row_range {
  uint16_t first = 0, count = 0;
};
constexpr auto rows = [] {
  std::array<row_range, fact_kind_count> out{};
  for (uint16_t i = 0; i < table.size(); ++i) {
    row_range &of = out[static_cast<size_t>(table[i].kind)];
    if (of.count == 0) of.first = i;
    ++of.count;
  }
  return out;
}();
static_assert(std::all_of(rows.begin(), rows.end(), [](const row_range &r) { return r.count > 0; }));
constexpr auto group_rows = [] {
  std::array<uint8_t, fact_kind_count> out{};
  for (const trigger &row : table) out[static_cast<size_t>(row.kind)] += row.only_with_group ? 1 : 0;
  return out;
}();

// What stands in the column of the detail.
std::string detail_text(const trigger &row) {
  switch (row.rule) {
    case detail_by::number:
      return row.detail == 0 ? "DETAILS_NONE" : std::string(detail_name(row.detail));
    case detail_by::state:
      return "APP_ and the state";
    case detail_by::release:
      return "ALLOC_CANCEL, _TIMEOUT, _PREEMPT, _REPLACED, _NODEREMOVED";
    case detail_by::ask_end:
      return "REQUEST_CANCEL, _TIMEOUT";
    case detail_by::queue_kind:
      return "QUEUE_DYNAMIC; DETAILS_NONE where configured";
    case detail_by::hold:
      return row.detail == 213 ? "APP_CANNOTRUN_QUEUE, _QUOTA" : "APP_RUNNABLE_QUEUE, _QUOTA";
  }
  return {};
}

}  // namespace

std::span<const trigger> triggers() { return table; }

std::span<const trigger> triggers_of(fact_kind kind) {
  const row_range &of = rows[static_cast<size_t>(kind)];
  return std::span(table).subspan(of.first, of.count);
}

uint32_t record_count(const fact &what) {
  const auto kind = static_cast<size_t>(what.kind);
  return rows[kind].count - (what.group.empty() ? group_rows[kind] : 0U);
}

std::string_view detail_name(uint32_t detail) {
  const auto found =
      std::find_if(details.begin(), details.end(), [&](const named_detail &d) { return d.number == detail; });
  return found == details.end() ? std::string_view{} : found->name;
}

std::string_view type_name(uint32_t type) {
  constexpr std::array names{"SYSTEM", "REQUEST", "APP", "NODE", "QUEUE", "USERGROUP"};
  return type < names.size() ? names[type] : "";
}

std::string_view change_name(uint32_t change) {
  constexpr std::array names{"NONE", "SET", "ADD", "REMOVE"};
  if (change == add_by_flag) return "ADD or REMOVE";
  if (change == set_by_flag) return "SET or REMOVE";
  return change < names.size() ? names[change] : "";
}

std::string_view source_name(source s) {
  constexpr std::array names{"-", "application", "ask", "node", "queue", "user", "group", "partition"};
  return names[static_cast<size_t>(s)];
}

std::string trigger_table() {
  std::string out;
  for (const trigger &row : table) {
    const auto cell = [&](std::string_view text) { out += " " + std::string(text) + " |"; };
    out += '|';
    cell(row.when);
    cell(type_name(row.type));
    cell(source_name(row.object));
    cell(source_name(row.reference));
    cell(change_name(row.change));
    cell(detail_text(row));
    cell(row.resource ? "yes" : "-");
    cell(source_name(row.group));
    cell(row.reason);
    out += '\n';
  }
  return out;
}

}  // namespace tenon::events
