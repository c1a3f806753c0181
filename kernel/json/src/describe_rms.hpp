// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Of resource managers: as describe.hpp of the kernel.
#pragma once

#include "tenon/kernel/describe.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon {

template <>
inline constexpr std::string_view record_name<service::rm_status> = "rm";

}  // namespace tenon

namespace tenon::service {

template <class Archive, record_like<rm_bound> S>
void describe(Archive &a, S &s) {
  a("kept", s.kept), a("most", s.most), a("refused", s.refused), a("reached", s.reached);
}

template <class Archive, record_like<rm_status> S>
void describe(Archive &a, S &s) {
  a("id", s.id), a("version", s.version), a("policy_group", s.policy_group), a("transport", s.transport),
      a("state", s.state), a("connected", s.connected), a("held", s.held), a("throttled", s.throttled),
      a("waiting_requests", s.waiting_requests), a("waiting_answers", s.waiting_answers), a("retries", s.retries),
      a("bounds", s.bounds), a("partitions", s.partitions);
}

}  // namespace tenon::service
