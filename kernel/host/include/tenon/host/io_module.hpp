// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Modules that a deployment lists to be run on threads of their own: event sinks, transports.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tenon/abi/event_sink.h"
#include "tenon/abi/transport.h"
#include "tenon/kernel/policies.hpp"

namespace tenon::host {

// A guarded instance; of the tables the one of its kind is there.
struct bound_module : bound_policy {
  const tenon_event_sink_v1 *sink = nullptr;
  const tenon_transport_v1 *transport = nullptr;
};

// An entry of the deployment. `make` gives an active instance, each time a new one; from any thread, one at a time, and
// no longer than its module_host is there.
struct listed_module {
  std::string module;  // its id
  std::string name;    // of the implementation
  std::function<result<std::unique_ptr<bound_module>>()> make;
};

}  // namespace tenon::host
