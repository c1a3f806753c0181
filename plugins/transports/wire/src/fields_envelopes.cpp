// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Messages that hold others: requests and responses of streams.
#include "fields.hpp"
#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"

namespace tenon::wire {
namespace {

// In the order in which the parts take effect.
constexpr slot update_request[] = {
    {{"newApplications", nullptr}, TENON_RM_APPLICATION, "AddApplicationRequest"},
    {{"newSchedulableNodes", nullptr}, TENON_RM_NODE, "NewNodeInfo"},
    {{"updatedNodes", nullptr}, TENON_RM_NODE, "UpdateNodeInfo"},
    {{"asks", nullptr}, TENON_RM_ASK, "AllocationAsk"},
    {{"releases", "allocationsToRelease"}, TENON_RM_RELEASE, "AllocationRelease"},
    {{"releases", "allocationAsksToRelease"}, TENON_RM_ASK_RELEASE, "AllocationAskRelease"},
    {{"removeApplications", nullptr}, TENON_RM_APPLICATION_REMOVAL, "RemoveApplicationRequest"},
};
constexpr slot update_response[] = {
    {{"acceptedApplications", nullptr}, TENON_RM_ACCEPTED_APPLICATION, "AcceptedApplication"},
    {{"rejectedApplications", nullptr}, TENON_RM_REJECTED_APPLICATION, "RejectedApplication"},
    {{"updatedApplications", nullptr}, TENON_RM_UPDATED_APPLICATION, "UpdatedApplication"},
    {{"acceptedNodes", nullptr}, TENON_RM_ACCEPTED_NODE, "AcceptedNode"},
    {{"rejectedNodes", nullptr}, TENON_RM_REJECTED_NODE, "RejectedNode"},
    {{"newAllocations", nullptr}, TENON_RM_ALLOCATION, "Allocation"},
    {{"releasedAllocations", nullptr}, TENON_RM_RELEASE, "AllocationRelease"},
    {{"releasedAllocationAsks", nullptr}, TENON_RM_ASK_RELEASE, "AllocationAskRelease"},
    {{"rejectedAllocations", nullptr}, TENON_RM_REJECTED_ASK, "RejectedAllocationAsk"},
};
constexpr slot resync[] = {
    {{"assumedAllocations", nullptr}, TENON_RM_ASSUMED_ALLOCATION, "AssumedAllocation"},
    {{"forgetAllocations", nullptr}, TENON_RM_FORGOTTEN_ALLOCATION, "ForgotAllocation"},
};
constexpr slot allocation_request[] = {
    {{"asks", nullptr}, TENON_RM_ASK, "AllocationAsk"},
    {{"allocations", nullptr}, TENON_RM_ALLOCATION, "Allocation"},
    {{"releases", "allocationsToRelease"}, TENON_RM_RELEASE, "AllocationRelease"},
    {{"releases", "allocationAsksToRelease"}, TENON_RM_ASK_RELEASE, "AllocationAskRelease"},
};
constexpr slot allocation_response[] = {
    {{"new", nullptr}, TENON_RM_ALLOCATION, "Allocation"},
    {{"released", nullptr}, TENON_RM_RELEASE, "AllocationRelease"},
    {{"releasedAsks", nullptr}, TENON_RM_ASK_RELEASE, "AllocationAskRelease"},
    {{"rejected", nullptr}, TENON_RM_REJECTED_ASK, "RejectedAllocationAsk"},
    {{"rejectedAllocations", nullptr}, TENON_RM_REJECTED_ALLOCATION, "RejectedAllocation"},
};
constexpr slot application_request[] = {
    {{"new", nullptr}, TENON_RM_APPLICATION, "AddApplicationRequest"},
    {{"remove", nullptr}, TENON_RM_APPLICATION_REMOVAL, "RemoveApplicationRequest"},
};
constexpr slot application_response[] = {
    {{"accepted", nullptr}, TENON_RM_ACCEPTED_APPLICATION, "AcceptedApplication"},
    {{"rejected", nullptr}, TENON_RM_REJECTED_APPLICATION, "RejectedApplication"},
    {{"updated", nullptr}, TENON_RM_UPDATED_APPLICATION, "UpdatedApplication"},
};
constexpr slot node_request[] = {{{"nodes", nullptr}, TENON_RM_NODE, "NodeInfo"}};
constexpr slot node_response[] = {
    {{"accepted", nullptr}, TENON_RM_ACCEPTED_NODE, "AcceptedNode"},
    {{"rejected", nullptr}, TENON_RM_REJECTED_NODE, "RejectedNode"},
};

constexpr slot check_request[] = {
    {{"answers", nullptr}, TENON_RM_CHECK_ANSWER, "CheckAnswer"},
    {{"again", nullptr}, TENON_RM_CHECK_AGAIN, "CheckAgain"},
};
constexpr slot check_response[] = {
    {{"checks", nullptr}, TENON_RM_CHECK, "Check"},
    {{"over", nullptr}, TENON_RM_CHECK_OVER, "CheckOver"},
};

constexpr slot recovery_request[] = {{{"reports", nullptr}, TENON_RM_RECOVERY_REPORT, "RecoveryReport"}};
constexpr slot recovery_response[] = {{{"states", nullptr}, TENON_RM_RECOVERY_STATE, "RecoveryState"}};

constexpr slot report_response[] = {
    {{"assumed", nullptr}, TENON_RM_ASSUMED_ALLOCATION, "AssumedAllocation"},
    {{"forgotten", nullptr}, TENON_RM_FORGOTTEN_ALLOCATION, "ForgottenAllocation"},
    {{"states", nullptr}, TENON_RM_SCHEDULING_STATE, "SchedulingState"},
    {{"events", nullptr}, TENON_RM_EVENT, "Event"},
};

constexpr slot configuration_request[] = {
    {{"configurations", nullptr}, TENON_RM_CONFIGURATION, "OwnConfiguration"},
};
constexpr slot configuration_response[] = {
    {{"answers", nullptr}, TENON_RM_CONFIGURATION_ANSWER, "OwnConfigurationAnswer"},
};

constexpr envelope envelope_table[] = {
    {dialect::first, "UpdateRequest", "rmID", nullptr, update_request},
    {dialect::first, "UpdateResponse", nullptr, "action", update_response},
    {dialect::first, "ReSyncSchedulerCacheArgs", nullptr, nullptr, resync},
    {dialect::first, "RegisterResourceManagerResponse", nullptr, nullptr, {}},
    {dialect::later, "RegisterResourceManagerResponse", nullptr, nullptr, {}},
    {dialect::later, "AllocationRequest", "rmID", nullptr, allocation_request},
    {dialect::later, "AllocationResponse", nullptr, nullptr, allocation_response},
    {dialect::later, "ApplicationRequest", "rmID", nullptr, application_request},
    {dialect::later, "ApplicationResponse", nullptr, nullptr, application_response},
    {dialect::later, "NodeRequest", "rmID", nullptr, node_request},
    {dialect::later, "NodeResponse", nullptr, nullptr, node_response},
    {dialect::later, "CheckPlacementsRequest", "rmID", nullptr, check_request},
    {dialect::later, "CheckPlacementsResponse", nullptr, nullptr, check_response},
    {dialect::later, "RecoveryRequest", "rmID", nullptr, recovery_request},
    {dialect::later, "RecoveryResponse", nullptr, nullptr, recovery_response},
    {dialect::later, "ReportRequest", "rmID", nullptr, {}},
    {dialect::later, "ReportResponse", nullptr, nullptr, report_response},
    {dialect::later, "ConfigurationRequest", "rmID", nullptr, configuration_request},
    {dialect::later, "ConfigurationResponse", nullptr, nullptr, configuration_response},
};

}  // namespace

std::span<const envelope> envelopes() { return envelope_table; }

}  // namespace tenon::wire
