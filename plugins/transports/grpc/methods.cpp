// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"

namespace tenon::grpc_transport {
namespace {

constexpr uint32_t types = 64;  // TENON_RM_* are below it

struct tables {
  std::array<const wire::schema *, method_count> requests{};
  std::array<const wire::schema *, method_count> responses{};
  std::array<std::array<place, types>, 2> places{};

  tables() {
    for (size_t i = 0; i < method_count; ++i) {
      const method &each = stream_methods[i];
      const wire::dialect written = each.spoken.value_or(wire::dialect::later);
      requests[i] = &wire::schema_of(written, each.request);
      responses[i] = &wire::schema_of(written, each.response);
      for (uint32_t type = 0; type < types; ++type) {
        const int rank = wire::rank_of(*responses[i], type);
        for (const wire::dialect spoken : {wire::dialect::first, wire::dialect::later}) {
          const bool said = rank >= 0 && each.spoken.value_or(spoken) == spoken;
          if (said) places[static_cast<size_t>(spoken)][type] = {i, rank};
        }
      }
    }
  }
};

const tables &all() {
  static const tables once;
  return once;
}

}  // namespace

const wire::schema &request_of(size_t method) { return *all().requests.at(method); }
const wire::schema &response_of(size_t method) { return *all().responses.at(method); }

place place_of(wire::dialect spoken, uint32_t message_type) {
  return message_type < types ? all().places[static_cast<size_t>(spoken)][message_type] : place{};
}

}  // namespace tenon::grpc_transport
