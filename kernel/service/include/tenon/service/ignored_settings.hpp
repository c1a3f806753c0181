// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Settings beside queues.yaml, in a change of a configuration: clients send all that they have, so they are no error.
#pragma once

#include <cstdint>
#include <string>

namespace tenon::service {

// What is said of so many of them; empty: there are none. Their names and values may be secrets.
[[nodiscard]] inline std::string ignored_settings(uint64_t count) {
  if (count == 0) return {};
  return "extraConfig: " + std::to_string(count) +
         " settings were not looked at; what can be changed while an RM runs is in queues.yaml, all else comes with "
         "its registration";
}

}  // namespace tenon::service
