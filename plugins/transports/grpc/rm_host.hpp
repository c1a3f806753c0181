// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The host service tenon.host.rm, as C++ calls with words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tenon/abi/transport.h"
#include "tenon/sdk/host.hpp"

namespace tenon::grpc_transport {

struct outcome {
  tenon_status status = TENON_OK;
  std::string words;
};

class rm_host {
 public:
  // Throws sdk::unavailable where the host has no such service.
  explicit rm_host(const sdk::host_services &host);

  // `wants`: TENON_RM_WANTS_*, added up.
  outcome enter(uint64_t transport, const tenon_rm_registration &registration, uint32_t wants,
                tenon_rm_session &session) const;

  // `accepted`: the first so many of `messages` are the host's now.
  outcome submit(tenon_rm_session session, std::span<const tenon_rm_message *const> messages, uint64_t &accepted) const;

  tenon_status signal(tenon_rm_session session, uint32_t signal) const;  // NOLINT(bugprone-easily-swappable-parameters)
  void acknowledge(tenon_rm_session session, std::string_view partition, uint64_t number) const;
  // Checks up to this number are on the RM's connection.
  void sent(tenon_rm_session session, std::string_view partition, uint64_t number) const;

  void log(uint32_t level, std::string_view line) const { host_.log(level, line); }

 private:
  sdk::host_services host_;
  const tenon_host_rm *rm_;
};

}  // namespace tenon::grpc_transport
