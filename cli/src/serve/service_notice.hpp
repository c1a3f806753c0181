// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Tells a service manager how far the daemon is, over the datagram socket that $NOTIFY_SOCKET names
// (sd_notify(3)). Without one nothing is told.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace tenon::cli {

void tell_service_manager(std::string_view lines);
void tell_ready();      // READY=1
void tell_reloading();  // until tell_ready()
void tell_stopping();

// How often the manager wants to hear that the daemon lives ($WATCHDOG_USEC), if it does.
[[nodiscard]] std::optional<std::chrono::microseconds> watchdog_period();

}  // namespace tenon::cli
