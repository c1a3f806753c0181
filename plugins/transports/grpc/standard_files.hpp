// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// gRPC's standard services, as clients know them: tenon/v1/standard.proto under the standard's own names.
#pragma once

#include <google/protobuf/descriptor.h>

namespace tenon::grpc_transport {

// grpc/health/v1/health.proto, grpc/reflection/v1/reflection.proto and grpc/reflection/v1alpha/reflection.proto. Not
// the pool of the process, where other modules may bring gRPC's.
const google::protobuf::DescriptorPool &standard_files();

}  // namespace tenon::grpc_transport
