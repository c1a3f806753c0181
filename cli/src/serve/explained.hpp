// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What an explanation is asked of, and what the kernel cannot say about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/snapshot.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::cli {

// Names may have slashes: without a key, APPLICATION/KEY becomes the application and the ask that there are.
void find_application(const kernel_snapshot &in, std::string_view partition, std::string &application,
                      std::string &key);

// Why nothing at all is placed in a partition, a line; empty where nothing holds it up.
[[nodiscard]] std::string held_up(const std::vector<service::rm_status> &rms, std::string_view partition);

// The same in a few words, for a table.
[[nodiscard]] std::string short_hold(const std::vector<service::rm_status> &rms, std::string_view partition);

}  // namespace tenon::cli
