// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The streams of the scheduler interface: which messages each carries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tenon/wire/bytes.hpp"

namespace tenon::grpc_transport {

// One stream method of one dialect. An RM of a dialect has a channel for each of its methods.
struct method {
  const char *name;
  wire::dialect spoken;
  const char *request;
  const char *response;
};

inline constexpr size_t kMethods = 4;
inline constexpr std::array<method, kMethods> kStreamMethods{{
    {"Update", wire::dialect::first, "UpdateRequest", "UpdateResponse"},
    {"UpdateAllocation", wire::dialect::later, "AllocationRequest", "AllocationResponse"},
    {"UpdateApplication", wire::dialect::later, "ApplicationRequest", "ApplicationResponse"},
    {"UpdateNode", wire::dialect::later, "NodeRequest", "NodeResponse"},
}};

const wire::schema &request_of(size_t method);
const wire::schema &response_of(size_t method);

// Where a dialect says messages of a type.
struct place {
  size_t method = kMethods;  // kMethods: nowhere
  int rank = -1;             // in the order in which a response takes effect
};
place place_of(wire::dialect spoken, uint32_t message_type);

}  // namespace tenon::grpc_transport
