// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Host services that the program gives to modules, besides those that every host has.
//
//   host.offer({TENON_HOST_EVENTS, &table, &hub});          // before a module's instance is made that uses it
//   tenon_status range(const tenon_host *host, ...) {        // a slot of the table
//     auto &hub = *static_cast<event_hub *>(service_context(host, TENON_HOST_EVENTS));
#pragma once

#include <string_view>

#include "tenon/abi/host.h"

namespace tenon::host {

struct offered_service {
  std::string_view id;          // text that lives as long as the process
  const void *table = nullptr;  // the service's, with static lifetime
  void *context = nullptr;      // outlives the module_host
};

// What the service was offered with to the module that calls; null: to whom it was not.
[[nodiscard]] void *service_context(const tenon_host *host, std::string_view id);
// The id of the module that calls.
[[nodiscard]] std::string_view calling_module(const tenon_host *host);

}  // namespace tenon::host
