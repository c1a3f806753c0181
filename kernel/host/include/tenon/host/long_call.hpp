// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A call into a module that has not returned for a while, as the thread that watches calls sees it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tenon/host/thread_role.hpp"

namespace tenon::host {

struct long_call {
  std::string module, version;
  std::string digest;           // of the library
  std::string key;              // the library with its configuration in the deployment, as a file may be called
  std::string interface, name;  // of the policy; empty in calls that are the whole module's, as init
  std::string slot;
  thread_role role = thread_role::other;  // of the thread that waits for it
  uint32_t items = 0;                     // of its batch
  int64_t thread = 0;                     // as the system numbers it
  std::chrono::milliseconds lasts{0};     // while this process ran

  // "zoo.hangs 1.0.0: tenon.node-sort/1 'zoo': keys, of 4 items"
  [[nodiscard]] std::string place() const;
  // "..., has not returned for 612 ms"
  [[nodiscard]] std::string text() const;
};

}  // namespace tenon::host
