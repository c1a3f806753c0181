// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/facts.hpp"

#include <array>

namespace tenon {
namespace {

constexpr std::array<std::string_view, fact_kind_count> fact_names{
    "application_added",
    "application_rejected",
    "application_state",
    "application_left",
    "application_held",
    "application_freed",
    "application_moved_out",
    "application_moved_in",
    "ask_added",
    "ask_removed",
    "ask_over_queue",
    "ask_fits_queue",
    "ask_over_quota",
    "ask_fits_quota",
    "ask_unschedulable",
    "ask_without_victims",
    "allocation_added",
    "allocation_removed",
    "allocation_resized",
    "preempted",
    "placeholder_small",
    "foreign_added",
    "foreign_removed",
    "node_added",
    "node_rejected",
    "node_removed",
    "node_schedulable",
    "node_capacity",
    "node_occupied",
    "reserved",
    "unreserved",
    "queue_added",
    "queue_removed",
    "queue_max",
    "queue_guaranteed",
    "queue_type",
    "queue_quota",
    "group_linked",
    "group_unlinked",
    "group_usage",
    "user_usage",
    "user_limit",
    "group_limit",
    "canary_back",
    "node_update_rejected",
    "time_to_come",
};

}  // namespace

std::string_view name(fact_kind kind) { return fact_names[static_cast<size_t>(kind)]; }

}  // namespace tenon
