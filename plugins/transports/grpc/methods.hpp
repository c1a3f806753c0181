// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The streams of the scheduler interface: which messages each carries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tenon/wire/codec.hpp"

namespace tenon::grpc_transport {

// One stream method. An RM of a dialect has a channel for each of its methods.
struct method {
  const char *service;
  const char *name;
  std::optional<wire::dialect> spoken;  // none: RMs of both have it
  const char *request;
  const char *response;
  bool spare = false;  // an RM may do without: nothing waits for the stream, and its end is no break
};

inline constexpr char scheduler[] = "/si.v1.Scheduler/";
inline constexpr char checks_service[] = "/tenon.v1.Checks/";
inline constexpr char recovery[] = "/tenon.v1.Recovery/";
inline constexpr char reports[] = "/tenon.v1.Reports/";
inline constexpr char own_configuration[] = "/tenon.v1.Configuration/";

inline constexpr size_t method_count = 8;
inline constexpr size_t check_placements = 4;
inline constexpr size_t update_configuration = 7;
inline constexpr std::array<method, method_count> stream_methods{{
    {scheduler, "Update", wire::dialect::first, "UpdateRequest", "UpdateResponse"},
    {scheduler, "UpdateAllocation", wire::dialect::later, "AllocationRequest", "AllocationResponse"},
    {scheduler, "UpdateApplication", wire::dialect::later, "ApplicationRequest", "ApplicationResponse"},
    {scheduler, "UpdateNode", wire::dialect::later, "NodeRequest", "NodeResponse"},
    {checks_service, "CheckPlacements", {}, "CheckPlacementsRequest", "CheckPlacementsResponse"},
    {recovery, "UpdateRecovery", {}, "RecoveryRequest", "RecoveryResponse", true},
    {reports, "UpdateReports", {}, "ReportRequest", "ReportResponse", true},
    {own_configuration, "UpdateConfiguration", {}, "ConfigurationRequest", "ConfigurationResponse", true},
}};

const wire::schema &request_of(size_t method);
const wire::schema &response_of(size_t method);

// Where a dialect says messages of a type.
struct place {
  size_t method = method_count;  // method_count: nowhere
  int rank = -1;                 // in the order in which a response takes effect
};
place place_of(wire::dialect spoken, uint32_t message_type);

}  // namespace tenon::grpc_transport
