// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.host.rm: what transports call. Behind it stands whoever implements rm_calls.
#pragma once

#include <string_view>

#include "tenon/abi/transport.h"

namespace tenon::service {

// From any thread. See tenon_host_rm for the contract of each.
class rm_calls {
 public:
  virtual ~rm_calls() = default;
  virtual tenon_status enter(const tenon_rm_enter_in &in, tenon_rm_enter_out &out) = 0;
  virtual tenon_status submit(const tenon_rm_submit_in &in, tenon_rm_submit_out &out) = 0;
  virtual tenon_status signal(const tenon_rm_signal_in &in) = 0;
  virtual tenon_status acknowledge(const tenon_rm_acknowledge_in &in) = 0;
  virtual tenon_status sent(const tenon_rm_acknowledge_in &in) = 0;
};

// The table; the context of its offer is an rm_calls.
[[nodiscard]] const tenon_host_rm &rm_table();

// Writes a text where the caller gave room for it.
void say(tenon_message *to, std::string_view text);

}  // namespace tenon::service
