// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "fields.hpp"

#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"

namespace tenon::wire {
namespace {

constexpr numbers termination_numbers{1, 4, 6};
constexpr numbers node_action{2, 4, 7};
constexpr numbers scheduling_state{1, 4, 5};
constexpr numbers event_type{1, 4, 6};
constexpr numbers event_change{0, 4, 4};
constexpr numbers none{0, 0, 0};

// Where a member begins, and where it ends with its count.
#define PLACE(structure, member, last) offsetof(structure, member), offsetof(structure, last) + sizeof(structure::last)
// The members' names are the text as well as the place.
#define ROW(first, later, kind, structure, member, use) \
  row { first, later, field_kind::kind, PLACE(structure, member, member), 0, #member, none, use }
#define COUNTED(first, later, structure, member, counted, use) \
  row { first, later, field_kind::number, PLACE(structure, member, member), 0, #member, counted, use }
#define ARRAY(first, later, kind, structure, member, count, use)                                                    \
  row {                                                                                                             \
    first, later, field_kind::kind, PLACE(structure, member, count), offsetof(structure, count), #member, none, use \
  }
#define OWN(name, kind, structure, member, use) ROW(nullptr, name, kind, structure, member, use)
#define BOTH(name, kind, structure, member, use) ROW(name, name, kind, structure, member, use)

constexpr row registration[] = {
    BOTH("rmID", text, tenon_rm_registration, rm, "the RM's name, before each of its partitions"),
    BOTH("version", text, tenon_rm_registration, version, "inert: shown with the RM"),
    BOTH("policyGroup", text, tenon_rm_registration, policy_group, "names the configuration; empty: default"),
    ROW(nullptr, "buildInfo", pairs, tenon_rm_registration, build_info, "inert: shown with the RM"),
    ROW(nullptr, "config", text, tenon_rm_registration, config, "the configuration; wins over policyGroup"),
    ROW(nullptr, "extraConfig", pairs, tenon_rm_registration, extra_config, "settings beside the configuration"),
};
constexpr row configuration_rows[] = {
    ROW(nullptr, "rmID", text, tenon_rm_configuration, rm, "whose configuration"),
    ROW(nullptr, "policyGroup", text, tenon_rm_configuration, policy_group, "names the configuration"),
    ROW("configs", "config", text, tenon_rm_configuration, config, "the configuration"),
    ROW(nullptr, "extraConfig", pairs, tenon_rm_configuration, extra_config, "settings beside the configuration"),
};
constexpr row application_rows[] = {
    BOTH("applicationID", text, tenon_rm_application, application, "its name; twice: rejected"),
    BOTH("queueName", text, tenon_rm_application, queue, "what placement rules start from"),
    BOTH("partitionName", text, tenon_rm_application, partition, "where it runs"),
    BOTH("ugi", user, tenon_rm_application, user, "access, limits and shares; no groups: they are resolved"),
    BOTH("tags", pairs, tenon_rm_application, tags, "placement, quotas of namespaces, policies"),
    BOTH("executionTimeoutMilliSeconds", i64, tenon_rm_application, execution_timeout_ms,
         "timeout of the placeholders, or of the application"),
    BOTH("placeholderAsk", amounts, tenon_rm_application, placeholder_ask, "a gang; larger than the queue: rejected"),
    BOTH("gangSchedulingStyle", text, tenon_rm_application, gang_style, "what the timeout of a gang does"),
};
constexpr row application_removal[] = {
    BOTH("applicationID", text, tenon_rm_application_removal, application, "which one"),
    BOTH("partitionName", text, tenon_rm_application_removal, partition, "where"),
};
constexpr row node_rows[] = {
    BOTH("nodeID", text, tenon_rm_node, node, "its name"),
    COUNTED(nullptr, "action", tenon_rm_node, action, node_action, "what happens to it"),
    BOTH("attributes", pairs, tenon_rm_node, attributes, "partition, and what policies and predicates read"),
    BOTH("schedulableResource", amounts, tenon_rm_node, schedulable, "its capacity; absent in an update: unchanged"),
    BOTH("occupiedResource", amounts, tenon_rm_node, occupied, "taken off its capacity"),
    ARRAY("existingAllocations", "existingAllocations", elements, tenon_rm_node, existing, existing_count,
          "run on it already; one that cannot be restored rejects the node"),
};
constexpr row node_update[] = {
    ROW("nodeID", nullptr, text, tenon_rm_node, node, "which one"),
    ROW("attributes", nullptr, pairs, tenon_rm_node, attributes, "as of a new node"),
    ROW("schedulableResource", nullptr, amounts, tenon_rm_node, schedulable, "its capacity; absent: unchanged"),
    ROW("occupiedResource", nullptr, amounts, tenon_rm_node, occupied, "taken off its capacity; absent: unchanged"),
    COUNTED("action", nullptr, tenon_rm_node, action, node_action, "what happens to it"),
};
constexpr row ask[] = {
    BOTH("allocationKey", text, tenon_rm_ask, key, "its name; known: replaces that ask"),
    BOTH("applicationID", text, tenon_rm_ask, application, "whose; empty: an application of its own"),
    BOTH("partitionName", text, tenon_rm_ask, partition, "where"),
    BOTH("resourceAsk", amounts, tenon_rm_ask, resources, "what each allocation takes"),
    BOTH("maxAllocations", i32, tenon_rm_ask, max_allocations, "how many"),
    BOTH("priority", priority, tenon_rm_ask, priority, "order of asks, victims of preemption"),
    BOTH("executionTimeoutMilliSeconds", i64, tenon_rm_ask, execution_timeout_ms, "ends each allocation"),
    BOTH("tags", pairs, tenon_rm_ask, tags, "required node, preemption, policies and predicates"),
    BOTH("taskGroupName", text, tenon_rm_ask, task_group, "which placeholders it may replace"),
    BOTH("placeholder", flag, tenon_rm_ask, placeholder, "holds a place for a gang"),
    ROW(nullptr, "Originator", flag, tenon_rm_ask, originator, "never a victim while others are"),
    ROW(nullptr, "preemptionPolicy", preemption, tenon_rm_ask, preemption, "may be, may make victims"),
};
constexpr row allocation[] = {
    BOTH("allocationKey", text, tenon_rm_allocation, key, "its ask's name"),
    BOTH("allocationTags", pairs, tenon_rm_allocation, tags, "as of an ask"),
    BOTH("UUID", text, tenon_rm_allocation, uuid, "which one of its ask; chosen by the scheduler when new"),
    BOTH("resourcePerAlloc", amounts, tenon_rm_allocation, resources, "what it takes"),
    BOTH("priority", priority, tenon_rm_allocation, priority, "as of an ask"),
    BOTH("queueName", text, tenon_rm_allocation, queue, "answer: the application's queue; in a request inert"),
    BOTH("nodeID", text, tenon_rm_allocation, node, "where it runs; empty in a request: an ask"),
    BOTH("applicationID", text, tenon_rm_allocation, application, "whose"),
    BOTH("partitionName", text, tenon_rm_allocation, partition, "where"),
    BOTH("taskGroupName", text, tenon_rm_allocation, task_group, "as of an ask"),
    BOTH("placeholder", flag, tenon_rm_allocation, placeholder, "as of an ask"),
    ROW(nullptr, "allocationID", text, tenon_rm_allocation, id, "as UUID"),
    ROW(nullptr, "originator", flag, tenon_rm_allocation, originator, "as of an ask"),
    ROW(nullptr, "preemptionPolicy", preemption, tenon_rm_allocation, preemption, "as of an ask"),
};
constexpr row release[] = {
    BOTH("partitionName", text, tenon_rm_release, partition, "where"),
    BOTH("applicationID", text, tenon_rm_release, application, "whose"),
    BOTH("UUID", text, tenon_rm_release, uuid,
         "which one; without any: all of the application, in the later dialect with its asks"),
    COUNTED("terminationType", "terminationType", tenon_rm_release, termination, termination_numbers,
            "a wish, or which wish it confirms"),
    BOTH("message", text, tenon_rm_release, words, "inert in a request; answer: for people"),
    ROW(nullptr, "allocationKey", text, tenon_rm_release, key, "which ask's"),
    ROW(nullptr, "allocationID", text, tenon_rm_release, id, "as UUID"),
    OWN("preemptorKey", text, tenon_rm_release, preemptor,
        "inert in a request; answer: the ask that a victim ends for"),
};
constexpr row ask_release[] = {
    BOTH("partitionName", text, tenon_rm_ask_release, partition, "where"),
    BOTH("applicationID", text, tenon_rm_ask_release, application,
         "whose; empty: of every application that has the key"),
    ROW("allocationkey", "allocationKey", text, tenon_rm_ask_release, key, "which; empty: all of the application"),
    COUNTED("terminationType", "terminationType", tenon_rm_ask_release, termination, termination_numbers,
            "inert in a request; answer: why"),
    BOTH("message", text, tenon_rm_ask_release, words, "inert in a request; answer: for people"),
};
constexpr row rejected_ask[] = {
    BOTH("allocationKey", text, tenon_rm_rejected_ask, key, "answer: which"),
    BOTH("applicationID", text, tenon_rm_rejected_ask, application, "answer: whose"),
    BOTH("reason", text, tenon_rm_rejected_ask, reason, "answer: why"),
};
constexpr row rejected_allocation[] = {
    ROW(nullptr, "allocationKey", text, tenon_rm_rejected_ask, key, "answer: which"),
    ROW(nullptr, "applicationID", text, tenon_rm_rejected_ask, application, "answer: whose"),
    ROW(nullptr, "reason", text, tenon_rm_rejected_ask, reason, "answer: why"),
};
constexpr row rejected_application[] = {
    BOTH("applicationID", text, tenon_rm_verdict, id, "answer: which"),
    BOTH("reason", text, tenon_rm_verdict, reason, "answer: why"),
};
constexpr row accepted_application[] = {
    BOTH("applicationID", text, tenon_rm_verdict, id, "answer: which"),
};
constexpr row updated_application[] = {
    BOTH("applicationID", text, tenon_rm_updated_application, application, "answer: which"),
    BOTH("state", text, tenon_rm_updated_application, state, "answer: its state now"),
    BOTH("stateTransitionTimestamp", i64, tenon_rm_updated_application, since_ns, "answer: since when"),
    BOTH("message", text, tenon_rm_updated_application, words, "answer: why, in one line"),
};
constexpr row rejected_node[] = {
    BOTH("nodeID", text, tenon_rm_verdict, id, "answer: which"),
    BOTH("reason", text, tenon_rm_verdict, reason, "answer: why"),
};
constexpr row accepted_node[] = {
    BOTH("nodeID", text, tenon_rm_verdict, id, "answer: which"),
};
constexpr row predicate[] = {
    BOTH("allocationKey", text, tenon_rm_predicate, key, "question: which ask"),
    BOTH("nodeID", text, tenon_rm_predicate, node, "question: on which node"),
    BOTH("allocate", flag, tenon_rm_predicate, allocate, "question: to run, or to be reserved"),
};
constexpr row assumed[] = {
    ROW("allocationKey", nullptr, text, tenon_rm_assumption, key, "answer: which ask"),
    ROW("nodeID", nullptr, text, tenon_rm_assumption, node, "answer: on which node"),
};
constexpr row forgotten[] = {
    ROW("allocationKey", nullptr, text, tenon_rm_assumption, key, "answer: which ask"),
};
constexpr row state_rows[] = {
    ROW("applicartionID", "applicationID", text, tenon_rm_scheduling_state, application, "answer: whose"),
    BOTH("allocationKey", text, tenon_rm_scheduling_state, key, "answer: which ask"),
    COUNTED("state", "state", tenon_rm_scheduling_state, state, scheduling_state, "answer: what it waits for"),
    BOTH("reason", text, tenon_rm_scheduling_state, reason, "answer: why"),
};
constexpr row configuration_answer[] = {
    ROW("success", nullptr, flag, tenon_rm_configuration_answer, success, "answer: whether it is used now"),
    ROW("oldConfig", nullptr, text, tenon_rm_configuration_answer, old_config, "answer: what was used before"),
    ROW("reason", nullptr, text, tenon_rm_configuration_answer, reason, "answer: why not"),
};
constexpr row event[] = {
    COUNTED("type", "type", tenon_rm_event, of, event_type, "answer: about what"),
    BOTH("objectID", text, tenon_rm_event, object, "answer: about which"),
    BOTH("groupID", text, tenon_rm_event, group, "answer: of what"),
    BOTH("reason", text, tenon_rm_event, reason, "answer: why"),
    BOTH("message", text, tenon_rm_event, words, "answer: for people"),
    BOTH("timestampNano", i64, tenon_rm_event, at_ns, "answer: when"),
    ROW(nullptr, "eventChangeType", open_number, tenon_rm_event, change, "answer: how it changed"),
    ROW(nullptr, "eventChangeDetail", open_number, tenon_rm_event, change_detail, "answer: what changed"),
    ROW(nullptr, "referenceID", text, tenon_rm_event, reference, "answer: by what"),
    ROW(nullptr, "resource", amounts, tenon_rm_event, resources, "answer: by how much"),
};

constexpr row check[] = {
    OWN("partitionName", text, tenon_rm_check, partition, "question: where"),
    OWN("number", i64, tenon_rm_check, number, "question: its number, which the answer repeats"),
    OWN("applicationID", text, tenon_rm_check, application, "question: whose"),
    OWN("allocationKey", text, tenon_rm_check, key, "question: which ask"),
    OWN("nodeID", text, tenon_rm_check, node, "question: on which node"),
    OWN("resourcePerAlloc", amounts, tenon_rm_check, resources, "question: what it would take"),
    OWN("tags", pairs, tenon_rm_check, tags, "question: the ask's, and which devices it would hold"),
    OWN("allocate", flag, tenon_rm_check, allocate,
        "question: to take room; else in a placeholder's, which is there, or to wait for some"),
    OWN("placeholderKey", text, tenon_rm_check, placeholder_key, "question: in place of which placeholder"),
    OWN("placeholderUUID", text, tenon_rm_check, placeholder_uuid, "question: of which one of its ask"),
};
constexpr row check_over[] = {
    OWN("partitionName", text, tenon_rm_check_over, partition, "answer: where"),
    OWN("number", i64, tenon_rm_check_over, number, "answer: which check"),
    OWN("applicationID", text, tenon_rm_check_over, application, "answer: whose"),
    OWN("allocationKey", text, tenon_rm_check_over, key, "answer: of which ask"),
    OWN("nodeID", text, tenon_rm_check_over, node, "answer: on which node"),
    OWN("reason", text, tenon_rm_check_over, reason, "answer: why"),
};
constexpr row check_answer[] = {
    OWN("partitionName", text, tenon_rm_check_answer, partition, "where"),
    OWN("number", i64, tenon_rm_check_answer, number, "which check it answers"),
    OWN("accepted", flag, tenon_rm_check_answer, accepted, "whether it may run there"),
    OWN("reason", text, tenon_rm_check_answer, reason, "comes back when the check is over"),
};
constexpr row check_again[] = {
    OWN("partitionName", text, tenon_rm_check_again, partition, "where"),
    OWN("applicationID", text, tenon_rm_check_again, application, "whose asks; empty: all"),
    OWN("allocationKey", text, tenon_rm_check_again, key, "which ask; empty: all"),
    OWN("nodeID", text, tenon_rm_check_again, node, "on which node; empty: on all"),
};

constexpr row recovery_report[] = {
    OWN("done", flag, tenon_rm_recovery_report, done, "all that runs was reported: scheduling begins"),
};
constexpr row recovery_state[] = {
    OWN("held", flag, tenon_rm_recovery_state, held, "answer: whether nothing is placed yet"),
};

constexpr row own_assumed[] = {
    OWN("allocationKey", text, tenon_rm_assumption, key, "answer: which ask"),
    OWN("nodeID", text, tenon_rm_assumption, node, "answer: on which node"),
};
constexpr row own_forgotten[] = {
    OWN("allocationKey", text, tenon_rm_assumption, key, "answer: which ask"),
};
constexpr row own_state[] = {
    OWN("applicationID", text, tenon_rm_scheduling_state, application, "answer: whose"),
    OWN("allocationKey", text, tenon_rm_scheduling_state, key, "answer: which ask"),
    COUNTED(nullptr, "state", tenon_rm_scheduling_state, state, scheduling_state, "answer: what it waits for"),
    OWN("reason", text, tenon_rm_scheduling_state, reason, "answer: why"),
};
constexpr row own_event[] = {
    COUNTED(nullptr, "type", tenon_rm_event, of, event_type, "answer: about what"),
    OWN("objectID", text, tenon_rm_event, object, "answer: about which"),
    OWN("groupID", text, tenon_rm_event, group, "answer: of what"),
    OWN("reason", text, tenon_rm_event, reason, "answer: why"),
    OWN("message", text, tenon_rm_event, words, "answer: for people"),
    OWN("timestampNano", i64, tenon_rm_event, at_ns, "answer: when"),
    COUNTED(nullptr, "change", tenon_rm_event, change, event_change, "answer: how it changed"),
    OWN("changeDetail", open_number, tenon_rm_event, change_detail, "answer: what changed"),
    OWN("referenceID", text, tenon_rm_event, reference, "answer: by what"),
    OWN("resource", amounts, tenon_rm_event, resources, "answer: by how much"),
};
constexpr row own_configuration[] = {
    OWN("policyGroup", text, tenon_rm_configuration, policy_group, "names the configuration, where none is sent"),
    OWN("config", text, tenon_rm_configuration, config, "the configuration"),
    OWN("extraConfig", pairs, tenon_rm_configuration, extra_config,
        "settings beside the configuration: how many have a name"),
};
constexpr row own_configuration_answer[] = {
    OWN("success", flag, tenon_rm_configuration_answer, success, "answer: whether it is used now"),
    OWN("oldConfig", text, tenon_rm_configuration_answer, old_config, "answer: what was used before"),
    OWN("reason", text, tenon_rm_configuration_answer, reason, "answer: why not, or what was ignored"),
};

constexpr implied nothing{0, 0};
constexpr implied creates{offsetof(tenon_rm_node, action), TENON_NODE_CREATE};
// There asks have a release of their own.
constexpr implied allocations_alone{offsetof(tenon_rm_release, what), TENON_RELEASE_ALLOCATIONS};

#define RECORD_OF(type, structure, least, first, later, by_first, rows) \
  record { type, sizeof(structure), least, offsetof(structure, detail), #structure, first, later, by_first, rows }
#define RECORD(type, structure, first, later, by_first, rows) \
  RECORD_OF(type, structure, sizeof(structure), first, later, by_first, rows)
#define SAME(type, structure, name, rows) RECORD(type, structure, name, name, nothing, rows)

constexpr record record_table[] = {
    SAME(TENON_RM_REGISTRATION, tenon_rm_registration, "RegisterResourceManagerRequest", registration),
    SAME(TENON_RM_CONFIGURATION, tenon_rm_configuration, "UpdateConfigurationRequest", configuration_rows),
    SAME(TENON_RM_APPLICATION, tenon_rm_application, "AddApplicationRequest", application_rows),
    SAME(TENON_RM_APPLICATION_REMOVAL, tenon_rm_application_removal, "RemoveApplicationRequest", application_removal),
    RECORD(TENON_RM_NODE, tenon_rm_node, "NewNodeInfo", nullptr, creates, node_rows),
    RECORD(TENON_RM_NODE, tenon_rm_node, "UpdateNodeInfo", nullptr, nothing, node_update),
    RECORD(TENON_RM_NODE, tenon_rm_node, nullptr, "NodeInfo", nothing, node_rows),
    SAME(TENON_RM_ASK, tenon_rm_ask, "AllocationAsk", ask),
    SAME(TENON_RM_ALLOCATION, tenon_rm_allocation, "Allocation", allocation),
    RECORD_OF(TENON_RM_RELEASE, tenon_rm_release, offsetof(tenon_rm_release, preemptor), "AllocationRelease",
              "AllocationRelease", allocations_alone, release),
    SAME(TENON_RM_ASK_RELEASE, tenon_rm_ask_release, "AllocationAskRelease", ask_release),
    SAME(TENON_RM_REJECTED_ASK, tenon_rm_rejected_ask, "RejectedAllocationAsk", rejected_ask),
    RECORD(TENON_RM_REJECTED_ALLOCATION, tenon_rm_rejected_ask, nullptr, "RejectedAllocation", nothing,
           rejected_allocation),
    SAME(TENON_RM_REJECTED_APPLICATION, tenon_rm_verdict, "RejectedApplication", rejected_application),
    SAME(TENON_RM_ACCEPTED_APPLICATION, tenon_rm_verdict, "AcceptedApplication", accepted_application),
    SAME(TENON_RM_UPDATED_APPLICATION, tenon_rm_updated_application, "UpdatedApplication", updated_application),
    SAME(TENON_RM_REJECTED_NODE, tenon_rm_verdict, "RejectedNode", rejected_node),
    SAME(TENON_RM_ACCEPTED_NODE, tenon_rm_verdict, "AcceptedNode", accepted_node),
    SAME(TENON_RM_PREDICATE, tenon_rm_predicate, "PredicatesArgs", predicate),
    RECORD(TENON_RM_ASSUMED_ALLOCATION, tenon_rm_assumption, "AssumedAllocation", nullptr, nothing, assumed),
    RECORD(TENON_RM_FORGOTTEN_ALLOCATION, tenon_rm_assumption, "ForgotAllocation", nullptr, nothing, forgotten),
    SAME(TENON_RM_SCHEDULING_STATE, tenon_rm_scheduling_state, "UpdateContainerSchedulingStateRequest", state_rows),
    RECORD(TENON_RM_CONFIGURATION_ANSWER, tenon_rm_configuration_answer, "UpdateConfigurationResponse", nullptr,
           nothing, configuration_answer),
    SAME(TENON_RM_EVENT, tenon_rm_event, "EventRecord", event),
    RECORD(TENON_RM_CHECK, tenon_rm_check, nullptr, "Check", nothing, check),
    RECORD(TENON_RM_CHECK_OVER, tenon_rm_check_over, nullptr, "CheckOver", nothing, check_over),
    RECORD(TENON_RM_CHECK_ANSWER, tenon_rm_check_answer, nullptr, "CheckAnswer", nothing, check_answer),
    RECORD(TENON_RM_CHECK_AGAIN, tenon_rm_check_again, nullptr, "CheckAgain", nothing, check_again),
    RECORD(TENON_RM_RECOVERY_REPORT, tenon_rm_recovery_report, nullptr, "RecoveryReport", nothing, recovery_report),
    RECORD(TENON_RM_RECOVERY_STATE, tenon_rm_recovery_state, nullptr, "RecoveryState", nothing, recovery_state),
    RECORD(TENON_RM_ASSUMED_ALLOCATION, tenon_rm_assumption, nullptr, "AssumedAllocation", nothing, own_assumed),
    RECORD(TENON_RM_FORGOTTEN_ALLOCATION, tenon_rm_assumption, nullptr, "ForgottenAllocation", nothing, own_forgotten),
    RECORD(TENON_RM_SCHEDULING_STATE, tenon_rm_scheduling_state, nullptr, "SchedulingState", nothing, own_state),
    RECORD(TENON_RM_EVENT, tenon_rm_event, nullptr, "Event", nothing, own_event),
    RECORD(TENON_RM_CONFIGURATION, tenon_rm_configuration, nullptr, "OwnConfiguration", nothing, own_configuration),
    RECORD(TENON_RM_CONFIGURATION_ANSWER, tenon_rm_configuration_answer, nullptr, "OwnConfigurationAnswer", nothing,
           own_configuration_answer),
};

}  // namespace

std::span<const record> records() { return record_table; }

}  // namespace tenon::wire
