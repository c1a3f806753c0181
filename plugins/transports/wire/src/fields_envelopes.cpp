// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Messages that hold others: requests and responses of streams.
#include "fields.hpp"
#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"

namespace tenon::wire {
namespace {

// In the order in which the parts take effect.
constexpr slot kUpdateRequest[] = {
    {{"newApplications", nullptr}, TENON_RM_APPLICATION, "AddApplicationRequest"},
    {{"newSchedulableNodes", nullptr}, TENON_RM_NODE, "NewNodeInfo"},
    {{"updatedNodes", nullptr}, TENON_RM_NODE, "UpdateNodeInfo"},
    {{"asks", nullptr}, TENON_RM_ASK, "AllocationAsk"},
    {{"releases", "allocationsToRelease"}, TENON_RM_RELEASE, "AllocationRelease"},
    {{"releases", "allocationAsksToRelease"}, TENON_RM_ASK_RELEASE, "AllocationAskRelease"},
    {{"removeApplications", nullptr}, TENON_RM_APPLICATION_REMOVAL, "RemoveApplicationRequest"},
};
constexpr slot kUpdateResponse[] = {
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
constexpr slot kResync[] = {
    {{"assumedAllocations", nullptr}, TENON_RM_ASSUMED_ALLOCATION, "AssumedAllocation"},
    {{"forgetAllocations", nullptr}, TENON_RM_FORGOTTEN_ALLOCATION, "ForgotAllocation"},
};
constexpr slot kAllocationRequest[] = {
    {{"asks", nullptr}, TENON_RM_ASK, "AllocationAsk"},
    {{"allocations", nullptr}, TENON_RM_ALLOCATION, "Allocation"},
    {{"releases", "allocationsToRelease"}, TENON_RM_RELEASE, "AllocationRelease"},
    {{"releases", "allocationAsksToRelease"}, TENON_RM_ASK_RELEASE, "AllocationAskRelease"},
};
constexpr slot kAllocationResponse[] = {
    {{"new", nullptr}, TENON_RM_ALLOCATION, "Allocation"},
    {{"released", nullptr}, TENON_RM_RELEASE, "AllocationRelease"},
    {{"releasedAsks", nullptr}, TENON_RM_ASK_RELEASE, "AllocationAskRelease"},
    {{"rejected", nullptr}, TENON_RM_REJECTED_ASK, "RejectedAllocationAsk"},
    {{"rejectedAllocations", nullptr}, TENON_RM_REJECTED_ALLOCATION, "RejectedAllocation"},
};
constexpr slot kApplicationRequest[] = {
    {{"new", nullptr}, TENON_RM_APPLICATION, "AddApplicationRequest"},
    {{"remove", nullptr}, TENON_RM_APPLICATION_REMOVAL, "RemoveApplicationRequest"},
};
constexpr slot kApplicationResponse[] = {
    {{"accepted", nullptr}, TENON_RM_ACCEPTED_APPLICATION, "AcceptedApplication"},
    {{"rejected", nullptr}, TENON_RM_REJECTED_APPLICATION, "RejectedApplication"},
    {{"updated", nullptr}, TENON_RM_UPDATED_APPLICATION, "UpdatedApplication"},
};
constexpr slot kNodeRequest[] = {{{"nodes", nullptr}, TENON_RM_NODE, "NodeInfo"}};
constexpr slot kNodeResponse[] = {
    {{"accepted", nullptr}, TENON_RM_ACCEPTED_NODE, "AcceptedNode"},
    {{"rejected", nullptr}, TENON_RM_REJECTED_NODE, "RejectedNode"},
};

constexpr slot kCheckRequest[] = {
    {{"answers", nullptr}, TENON_RM_CHECK_ANSWER, "CheckAnswer"},
    {{"again", nullptr}, TENON_RM_CHECK_AGAIN, "CheckAgain"},
};
constexpr slot kCheckResponse[] = {
    {{"checks", nullptr}, TENON_RM_CHECK, "Check"},
    {{"over", nullptr}, TENON_RM_CHECK_OVER, "CheckOver"},
};

constexpr slot kRecoveryRequest[] = {{{"reports", nullptr}, TENON_RM_RECOVERY_REPORT, "RecoveryReport"}};
constexpr slot kRecoveryResponse[] = {{{"states", nullptr}, TENON_RM_RECOVERY_STATE, "RecoveryState"}};

constexpr envelope kEnvelopes[] = {
    {dialect::first, "UpdateRequest", "rmID", nullptr, kUpdateRequest},
    {dialect::first, "UpdateResponse", nullptr, "action", kUpdateResponse},
    {dialect::first, "ReSyncSchedulerCacheArgs", nullptr, nullptr, kResync},
    {dialect::first, "RegisterResourceManagerResponse", nullptr, nullptr, {}},
    {dialect::later, "RegisterResourceManagerResponse", nullptr, nullptr, {}},
    {dialect::later, "AllocationRequest", "rmID", nullptr, kAllocationRequest},
    {dialect::later, "AllocationResponse", nullptr, nullptr, kAllocationResponse},
    {dialect::later, "ApplicationRequest", "rmID", nullptr, kApplicationRequest},
    {dialect::later, "ApplicationResponse", nullptr, nullptr, kApplicationResponse},
    {dialect::later, "NodeRequest", "rmID", nullptr, kNodeRequest},
    {dialect::later, "NodeResponse", nullptr, nullptr, kNodeResponse},
    {dialect::later, "CheckPlacementsRequest", "rmID", nullptr, kCheckRequest},
    {dialect::later, "CheckPlacementsResponse", nullptr, nullptr, kCheckResponse},
    {dialect::later, "RecoveryRequest", "rmID", nullptr, kRecoveryRequest},
    {dialect::later, "RecoveryResponse", nullptr, nullptr, kRecoveryResponse},
};

}  // namespace

std::span<const envelope> envelopes() { return kEnvelopes; }

}  // namespace tenon::wire
