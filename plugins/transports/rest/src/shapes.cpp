// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "shapes.hpp"

#include <algorithm>

namespace tenon::rest {
namespace {

using enum kind;

constexpr key_shape error_keys[] = {
    {"status_code", integer, {}, true}, {"message", text, {}, true}, {"description", text, {}, true}};
constexpr key_shape cluster_keys[] = {
    {"startTime", integer}, {"rmBuildInformation", list}, {"partition"}, {"clusterName"}};
constexpr key_shape capacity_keys[] = {{"capacity", amounts}, {"usedCapacity", amounts}, {"utilization", amounts}};
constexpr key_shape node_order_keys[] = {{"type"}, {"resourceWeights", object}};
constexpr key_shape partition_keys[] = {{"clusterId", text, {}, true},
                                        {"name", text, {}, true},
                                        {"capacity", object, "PartitionCapacity", true},
                                        {"nodeSortingPolicy", object, "NodeSortingPolicy", true},
                                        {"preemptionEnabled", flag, {}, true},
                                        {"quotaPreemptionEnabled", flag, {}, true},
                                        {"totalNodes", integer},
                                        {"applications", amounts},
                                        {"totalContainers", integer},
                                        {"state"},
                                        {"lastStateTransitionTime", integer}};
constexpr key_shape template_keys[] = {
    {"maxApplications", integer}, {"maxResource", amounts}, {"guaranteedResource", amounts}, {"properties", text_map}};
constexpr key_shape queue_keys[] = {{"queuename", text, {}, true},
                                    {"status"},
                                    {"partition", text, {}, true},
                                    {"pendingResource", amounts},
                                    {"maxResource", amounts},
                                    {"guaranteedResource", amounts},
                                    {"allocatedResource", amounts},
                                    {"preemptingResource", amounts},
                                    {"headroom", amounts},
                                    {"isLeaf", flag, {}, true},
                                    {"isManaged", flag, {}, true},
                                    {"properties", text_map},
                                    {"parent"},
                                    {"template", object, "QueueTemplate"},
                                    {"children", list, "Queue"},
                                    {"childNames", texts},
                                    {"absUsedCapacity", amounts},
                                    {"maxRunningApps", integer},
                                    {"runningApps", integer},
                                    {"currentPriority", integer, {}, true},
                                    {"allocatingAcceptedApps", texts},
                                    {"sortingPolicy"},
                                    {"prioritySorting", flag, {}, true},
                                    {"preemptionEnabled", flag, {}, true},
                                    {"isPreemptionFence", flag, {}, true},
                                    {"preemptionDelay"},
                                    {"quotaPreemptionDelay"},
                                    {"isPriorityFence", flag, {}, true},
                                    {"priorityOffset", integer}};
constexpr key_shape allocation_keys[] = {{"allocationKey", text, {}, true},
                                         {"allocationTags", text_map},
                                         {"requestTime", integer},
                                         {"allocationTime", integer},
                                         {"allocationDelay", integer},
                                         {"resource", amounts},
                                         {"priority"},
                                         {"nodeId"},
                                         {"applicationId"},
                                         {"placeholder", flag},
                                         {"placeholderUsed", flag},
                                         {"taskGroupName"},
                                         {"preempted", flag},
                                         {"originator", flag}};
constexpr key_shape foreign_keys[] = {{"allocationKey", text, {}, true},
                                      {"allocationTags", text_map},
                                      {"allocationTime", integer},
                                      {"resource", amounts},
                                      {"priority"},
                                      {"nodeId"},
                                      {"preemptable", flag}};
constexpr key_shape log_keys[] = {{"message"}, {"lastOccurrence", integer}, {"count", integer}};
constexpr key_shape ask_keys[] = {{"allocationKey", text, {}, true},
                                  {"allocationTags", text_map},
                                  {"requestTime", integer},
                                  {"resource", amounts},
                                  {"priority"},
                                  {"requiredNodeId"},
                                  {"applicationId"},
                                  {"placeholder", flag},
                                  {"taskGroupName"},
                                  {"allocationLog", list, "AskLogEntry"},
                                  {"triggeredPreemption", flag},
                                  {"originator", flag},
                                  {"schedulingAttempted", flag},
                                  {"triggeredScaleUp", flag}};
constexpr key_shape state_keys[] = {{"time", integer}, {"applicationState"}};
constexpr key_shape placeholder_keys[] = {
    {"taskGroupName"}, {"count", integer}, {"minResource", amounts}, {"replaced", integer}, {"timedout", integer}};
constexpr key_shape history_keys[] = {
    {"resourceUsage", object}, {"preemptedResource", object}, {"placeholderResource", object}};
constexpr key_shape application_keys[] = {{"applicationID", text, {}, true},
                                          {"usedResource", amounts},
                                          {"maxUsedResource", amounts},
                                          {"pendingResource", amounts},
                                          {"partition", text, {}, true},
                                          {"queueName", text, {}, true},
                                          {"submissionTime", integer},
                                          {"finishedTime", integer},
                                          {"requests", list, "Ask"},
                                          {"allocations", list, "Allocation"},
                                          {"applicationState"},
                                          {"user"},
                                          {"groups", texts},
                                          {"rejectedMessage"},
                                          {"stateLog", list, "StateChange"},
                                          {"placeholderData", list, "PlaceholderData"},
                                          {"hasReserved", flag},
                                          {"reservations", texts},
                                          {"maxRequestPriority", integer},
                                          {"startTime", integer},
                                          {"resourceHistory", object, "ResourceHistory", true},
                                          {"backoffDeadline"}};
constexpr key_shape node_keys[] = {{"nodeID", text, {}, true},
                                   {"hostName"},
                                   {"rackName"},
                                   {"attributes", text_map},
                                   {"capacity", amounts},
                                   {"allocated", amounts},
                                   {"occupied", amounts},
                                   {"available", amounts},
                                   {"utilized", amounts},
                                   {"allocations", list, "Allocation"},
                                   {"foreignAllocations", list, "ForeignAllocation"},
                                   {"schedulable", flag, {}, true},
                                   {"isReserved", flag, {}, true},
                                   {"reservations", texts}};
constexpr key_shape usage_keys[] = {{"queuePath", text, {}, true},  {"resourceUsage", amounts},
                                    {"runningApplications", texts}, {"maxResources", amounts},
                                    {"maxApplications", integer},   {"children", list, "Usage"}};
constexpr key_shape user_keys[] = {
    {"userName", text, {}, true}, {"groups", text_map}, {"queues", object, "Usage", true}};
constexpr key_shape group_keys[] = {
    {"groupName", text, {}, true}, {"applications", texts}, {"queues", object, "Usage", true}};
constexpr key_shape filter_keys[] = {{"type"}, {"userList", texts}, {"groupList", texts}, {"userExp"}, {"groupExp"}};
constexpr key_shape rule_keys[] = {{"name", text, {}, true},
                                   {"parameters", text_map},
                                   {"parentRule", object, "PlacementRule"},
                                   {"filter", object, "PlacementFilter"}};
constexpr key_shape application_history_keys[] = {{"timestamp", integer}, {"totalApplications"}};
constexpr key_shape container_history_keys[] = {{"timestamp", integer}, {"totalContainers"}};
constexpr key_shape check_keys[] = {
    {"Name", text, {}, true}, {"Succeeded", flag, {}, true}, {"Description"}, {"DiagnosisMessage"}};
constexpr key_shape health_keys[] = {{"Healthy", flag, {}, true}, {"HealthChecks", list, "HealthCheck", true}};
constexpr key_shape bucket_keys[] = {{"bucketName"}, {"numOfNodes", integer}, {"nodeNames", texts}};
constexpr key_shape type_use_keys[] = {{"type"}, {"utilization", list, "NodeBucket"}};
constexpr key_shape utilizations_keys[] = {{"clusterId"}, {"partition"}, {"utilizations", list, "TypeUtilization"}};
constexpr key_shape event_keys[] = {{"type", integer},
                                    {"objectID"},
                                    {"message"},
                                    {"timestampNano", integer},
                                    {"eventChangeType", integer},
                                    {"eventChangeDetail", integer},
                                    {"referenceID"},
                                    {"resource", object}};
constexpr key_shape batch_keys[] = {{"InstanceUUID", text, {}, true},
                                    {"LowestID", integer, {}, true},
                                    {"HighestID", integer, {}, true},
                                    {"EventRecords", list, "Event", true}};
constexpr key_shape validation_keys[] = {
    {"allowed", flag, {}, true}, {"reason"}, {"checksum"}, {"checksumMatch", flag}};
constexpr key_shape dump_keys[] = {{"timestamp", integer},
                                   {"partitions", list, "Partition"},
                                   {"applications", list, "Application"},
                                   {"appHistory", list, "ApplicationHistory"},
                                   {"nodes", list},
                                   {"clusterInfo", list, "Cluster"},
                                   {"containerHistory", list, "ContainerHistory"},
                                   {"queues", list, "Queue"},
                                   {"rmDiagnostics", object},
                                   {"logLevel"},
                                   {"config", object},
                                   {"placementRules", list},
                                   {"eventStreams", list}};
constexpr key_shape obstacle_keys[] = {{"kind", text, {}, true},
                                       {"text", text, {}, true},
                                       {"queue"},
                                       {"name"},
                                       {"group", flag},
                                       {"type"},
                                       {"policy"},
                                       {"reason"},
                                       {"asked", integer},
                                       {"limit", integer},
                                       {"used", integer},
                                       {"free", integer},
                                       {"short_by", integer},
                                       {"until_ms", integer},
                                       {"shortBy", integer},
                                       {"until", integer}};
constexpr key_shape change_keys[] = {{"kind", text, {}, true},
                                     {"text", text, {}, true},
                                     {"queue"},
                                     {"name"},
                                     {"group", flag},
                                     {"type"},
                                     {"from", integer},
                                     {"to", integer},
                                     {"amounts", amounts},
                                     {"resource", amounts}};
constexpr key_shape node_reason_keys[] = {
    {"nodes", integer, {}, true}, {"fit", integer, {}, true},  {"not_schedulable", integer},
    {"types", amounts},           {"devices", amounts},        {"predicates", amounts},
    {"refused_by_rm", amounts},   {"notSchedulable", integer}, {"tooLittle", amounts},
    {"devicesMissing", amounts},  {"refused", amounts},        {"refusedByRM", amounts}};
constexpr key_shape explanation_keys[] = {{"partition", text, {}, true},
                                          {"application"},
                                          {"key"},
                                          {"queue"},
                                          {"asked", amounts},
                                          {"holds", texts},
                                          {"applicationID", text, {}, true},
                                          {"allocationKey", text, {}, true},
                                          {"queueName", text, {}, true},
                                          {"pending", flag, {}, true},
                                          {"waiting", integer, {}, true},
                                          {"before", integer, {}, true},
                                          {"resource", amounts},
                                          {"obstacles", list, "Obstacle", true},
                                          {"changes", list, "Change", true},
                                          {"outcome", text, {}, true},
                                          {"after", integer},
                                          {"nodes", object, "NodeReasons", true},
                                          {"text", text, {}, true}};
constexpr key_shape placed_if_keys[] = {
    {"node", text, {}, true}, {"devices", text, {}, true}, {"after_ms", integer, {}, true}};
constexpr key_shape victim_if_keys[] = {{"application", text, {}, true},
                                        {"key", text, {}, true},
                                        {"node", text, {}, true},
                                        {"queue", text, {}, true},
                                        {"after_ms", integer, {}, true}};
constexpr key_shape ask_if_keys[] = {{"application", text, {}, true},
                                     {"key", text, {}, true},
                                     {"queue", text, {}, true},
                                     {"outcome", text, {}, true},
                                     {"count", integer, {}, true},
                                     {"placed", list, "WhatIfPlaced", true},
                                     {"victims", list, "WhatIfVictim", true},
                                     {"message", text, {}, true},
                                     {"explanation", any, {}, true}};
constexpr key_shape what_if_keys[] = {{"partition", text, {}, true},     {"time_ms", integer, {}, true},
                                      {"passed_ms", integer, {}, true},  {"decisions", integer, {}, true},
                                      {"all_placed", flag, {}, true},    {"subject_to_check", flag, {}, true},
                                      {"asks", list, "WhatIfAsk", true}, {"text", text, {}, true}};
constexpr key_shape module_keys[] = {{"module", text, {}, true},
                                     {"version"},
                                     {"kind"},
                                     {"name"},
                                     {"partition"},
                                     {"state", text, {}, true},
                                     {"lastFault"},
                                     {"calls", integer, {}, true},
                                     {"faults", integer, {}, true},
                                     {"fallbacks", integer, {}, true},
                                     {"totalNanoseconds", integer, {}, true},
                                     {"mostNanoseconds", integer, {}, true}};
constexpr key_shape shadow_difference_keys[] = {{"what", text, {}, true},   {"time", integer, {}, true},
                                                {"slot", text, {}, true},   {"of"},
                                                {"object", text, {}, true}, {"other"},
                                                {"first", text, {}, true},  {"shadow", text, {}, true}};
constexpr key_shape call_shadow_keys[] = {{"module", text, {}, true},
                                          {"kind", text, {}, true},
                                          {"name", text, {}, true},
                                          {"shadow", text, {}, true},
                                          {"shadowVersion", text, {}, true},
                                          {"shadowName", text, {}, true},
                                          {"off"},
                                          {"lastFault"},
                                          {"calls", integer, {}, true},
                                          {"items", integer, {}, true},
                                          {"skipped", integer, {}, true},
                                          {"faults", integer, {}, true},
                                          {"spentNanoseconds", integer, {}, true},
                                          {"forgotten", integer, {}, true},
                                          {"differences", integer, {}, true},
                                          {"firstDifferences", list, "ShadowDifference", true}};
// As the control socket has it. What may be null is not required.
constexpr key_shape world_shadow_keys[] = {{"state", text, {}, true},
                                           {"settings", text_map, {}, true},
                                           {"every", integer, {}, true},
                                           {"process", any},
                                           {"compared", integer, {}, true},
                                           {"same", integer, {}, true},
                                           {"other", integer, {}, true},
                                           {"refused", integer, {}, true},
                                           {"passed_over", integer, {}, true},
                                           {"commands", integer, {}, true},
                                           {"decisions", integer, {}, true},
                                           {"checked", integer, {}, true},
                                           {"unequal", integer, {}, true},
                                           {"commands_behind", integer, {}, true},
                                           {"behind_ms", integer, {}, true},
                                           {"restarts", integer, {}, true},
                                           {"most_restarts", integer, {}, true},
                                           {"message", text, {}, true},
                                           {"faults", integer, {}, true},
                                           {"first_faults", list, {}, true},
                                           {"first", list, {}, true},
                                           {"first_unequal", any}};
constexpr key_shape rm_keys[] = {{"rm", text, {}, true},
                                 {"state"},
                                 {"connected", flag, {}, true},
                                 {"held", flag},
                                 {"throttled", flag},
                                 {"since", integer},
                                 {"registered", integer},
                                 {"version"},
                                 {"policyGroup"},
                                 {"build", text_map},
                                 {"partitions", texts},
                                 {"waitingRequests", integer, {}, true},
                                 {"waitingAnswers", integer, {}, true},
                                 {"retries", integer, {}, true}};
constexpr key_shape reservation_keys[] = {{"nodeID", text, {}, true},
                                          {"applicationID", text, {}, true},
                                          {"allocationKey", text, {}, true},
                                          {"queueName"},
                                          {"user"},
                                          {"resource", amounts},
                                          {"available", amounts},
                                          {"requestTime", integer}};
constexpr key_shape preemption_keys[] = {{"number", integer, {}, true},
                                         {"time", integer, {}, true},
                                         {"queueName"},
                                         {"applicationID", text, {}, true},
                                         {"allocationKey", text, {}, true},
                                         {"nodeID"},
                                         {"message"}};
constexpr key_shape point_keys[] = {{"time", integer, {}, true},
                                    {"span", integer, {}, true},
                                    {"capacity", amounts, {}, true},
                                    {"used", amounts, {}, true},
                                    {"pending", amounts, {}, true},
                                    {"waitingApplications", integer, {}, true},
                                    {"decisions", integer, {}, true},
                                    {"placed", integer, {}, true},
                                    {"preempted", integer, {}, true},
                                    {"meanWaitSeconds", number, {}, true},
                                    {"longestWaitSeconds", number, {}, true}};
constexpr key_shape queue_point_keys[] = {{"time", integer, {}, true},
                                          {"span", integer, {}, true},
                                          {"used", amounts, {}, true},
                                          {"pending", amounts, {}, true},
                                          {"runningApplications", integer, {}, true},
                                          {"waitingAllocations", integer, {}, true},
                                          {"oldestWaitSeconds", number, {}, true},
                                          {"waitingFor", amounts, {}, true}};
constexpr key_shape device_node_keys[] = {
    {"nodeID", text, {}, true}, {"schedulable", flag, {}, true}, {"devices", list, "Devices", true}};
constexpr key_shape devices_keys[] = {{"type", text, {}, true},
                                      {"amount", integer, {}, true},
                                      {"free", list, {}, true},
                                      {"held", list, "DeviceHolder", true}};
constexpr key_shape holder_keys[] = {{"applicationID", text, {}, true},
                                     {"allocationKey", text, {}, true},
                                     {"amount", integer, {}, true},
                                     {"devices", list, {}, true}};
constexpr key_shape done_keys[] = {{"done", flag, {}, true}, {"action", text, {}, true}};
constexpr key_shape configured_keys[] = {{"done", flag, {}, true},
                                         {"action", text, {}, true},
                                         {"revision", integer, {}, true},
                                         {"warnings", texts, {}, true}};

constexpr shape shapes[] = {
    {"Error", "what is wrong with a request", error_keys},
    {"Cluster", "a partition and the resource manager that it belongs to", cluster_keys},
    {"PartitionCapacity", "what a partition has, and how much of it is used", capacity_keys},
    {"NodeSortingPolicy", "the order of nodes", node_order_keys},
    {"Partition", "a partition", partition_keys},
    {"QueueTemplate", "what queues made below this one start with", template_keys},
    {"Queue", "a queue", queue_keys},
    {"Allocation", "an allocation", allocation_keys},
    {"ForeignAllocation", "an allocation of somebody else", foreign_keys},
    {"AskLogEntry", "what held an ask", log_keys},
    {"Ask", "an ask that waits", ask_keys},
    {"StateChange", "when an application entered a state", state_keys},
    {"PlaceholderData", "the placeholders of a task group", placeholder_keys},
    {"ResourceHistory", "by instance type, amounts times seconds of allocations that ended", history_keys},
    {"Application", "an application", application_keys},
    {"Node", "a node", node_keys},
    {"Usage", "what a user or group uses in a queue", usage_keys},
    {"UserUsage", "what a user uses", user_keys},
    {"GroupUsage", "what a group uses", group_keys},
    {"PlacementFilter", "for whom a placement rule is", filter_keys},
    {"PlacementRule", "a placement rule", rule_keys},
    {"ApplicationHistory", "running applications at a minute", application_history_keys},
    {"ContainerHistory", "running allocations at a minute", container_history_keys},
    {"HealthCheck", "one check", check_keys},
    {"Health", "whether all is well", health_keys},
    {"NodeBucket", "nodes that use about the same share", bucket_keys},
    {"TypeUtilization", "nodes by their share of one resource", type_use_keys},
    {"NodeUtilizations", "nodes by their share of each resource", utilizations_keys},
    {"Event", "something that happened", event_keys},
    {"EventBatch", "events, and which can be asked for", batch_keys},
    {"Validation", "whether a configuration would be taken", validation_keys},
    {"StateDump", "everything", dump_keys},
    {"Obstacle", "one thing that holds an ask", obstacle_keys},
    {"Change", "one part of what would let an ask run", change_keys},
    {"NodeReasons", "why nodes do not do", node_reason_keys},
    {"Explanation", "why an ask waits", explanation_keys},
    {"WhatIfPlaced", "where an allocation would be, milliseconds after the question", placed_if_keys},
    {"WhatIfVictim", "what would give way for an ask", victim_if_keys},
    {"WhatIfAsk", "what would become of an ask: placed, evicts, waits, refused or undecided", ask_if_keys},
    {"WhatIf", "what would become of asks", what_if_keys},
    {"ResourceManager", "a resource manager; times in nanoseconds", rm_keys},
    {"Reservation", "a node that is kept for an ask", reservation_keys},
    {"Preemption", "an allocation that had to give way", preemption_keys},
    {"HistoryPoint", "amounts as of its time, counts of the span of nanoseconds before it", point_keys},
    {"QueueHistoryPoint", "a queue with those below it, as of the end of the span of nanoseconds", queue_point_keys},
    {"DeviceNode", "a node with devices", device_node_keys},
    {"Devices", "of one type: the amount of each, what each has free, and who holds them", devices_keys},
    {"DeviceHolder", "an allocation, the amount that it has of each of these devices", holder_keys},
    {"Module", "what an instance of a module did", module_keys},
    {"CallShadow", "a policy that is asked what another one is asked, and decides nothing", call_shadow_keys},
    {"ShadowDifference", "what a policy and its shadow said differently", shadow_difference_keys},
    {"WorldShadow", "what the shadow of the deployment found, docs/shadow.md", world_shadow_keys},
    {"Done", "an action that was done", done_keys},
    {"Configured", "a configuration that is in force", configured_keys},
};

}  // namespace

std::span<const shape> all_shapes() { return shapes; }

const shape *find_shape(std::string_view name) {
  const auto found = std::find_if(std::begin(shapes), std::end(shapes), [&](const shape &s) { return s.name == name; });
  return found == std::end(shapes) ? nullptr : found;
}

}  // namespace tenon::rest
